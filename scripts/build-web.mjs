import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = ["web", "packages/contract/src", "package-lock.json"];
const stampFile = join(root, "node_modules", ".cache", "aiw-web-build");

/** Builds web/dist, unless what is there was built from the very same sources. Returns the exit code. */
export function buildWeb() {
  const wanted = hashOf(sources);
  const built = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
  if (built === wanted && existsSync(join(root, "web", "dist", "index.html"))) return 0;

  const startedAt = Date.now();
  // Without the stamp a build that is interrupted is done again.
  rmSync(stampFile, { force: true });
  const vite = join(
    dirname(createRequire(join(root, "web", "package.json")).resolve("vite/package.json")),
    "bin",
    "vite.js",
  );
  const args = [vite, "build", "--outDir", "dist", "--emptyOutDir", "--logLevel", "warn"];
  // A test runner's NODE_ENV would end up in the product.
  const environment = { ...process.env, NODE_ENV: "production" };
  const result = spawnSync(process.execPath, args, {
    cwd: join(root, "web"),
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (result.status !== 0) {
    console.error("The web app could not be built; the reason stands above.");
    return 1;
  }
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, wanted);
  console.error(`Built the web app in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
  return 0;
}

function hashOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths) addTo(hash, path);
  return hash.digest("hex");
}

function addTo(hash, path) {
  const full = join(root, path);
  const entries = path.endsWith(".json") ? undefined : readdirSync(full, { withFileTypes: true });
  if (entries === undefined) return void hash.update(path).update("\0").update(readFileSync(full));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === "node_modules" || entry.name === "dist" || entry.name.endsWith(".test.ts")) continue;
    const child = `${path}/${entry.name}`;
    if (entry.isDirectory()) addTo(hash, child);
    else if (entry.isFile())
      hash
        .update(child)
        .update("\0")
        .update(readFileSync(join(root, child)));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = buildWeb();
