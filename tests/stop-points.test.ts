import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/**
 * Where something happens between two writes: the step, its tools, upkeep, what a person decides, jobs, the way of a write
 * to a target, and the queue. All awaited I/O here can be stopped at by name (house rule 9).
 */
const WATCHED = globSync(
  [
    "packages/engine/src/*.ts",
    "functions/{step,jobs,sweep}/src/{handler,run-job,discover-tools,test-source,ask-gateway,tidy-uploads}.ts",
    "functions/ingest/src/{handler,run-job,import-upload,remove-upload}.ts",
    "packages/platform/src/{messages,queue}.ts",
    "packages/core/src/approvals/{decide,expire,reconcile,request-again}.ts",
    "packages/core/src/runs/{change,sweep}.ts",
    "packages/core/src/chats/post-message.ts",
    "packages/core/src/policies/write-stop.ts",
    "packages/core/src/sources/remove.ts",
    "packages/connectors/src/git/{deliver,push,refs,exchange,fetcher,index}.ts",
    "packages/connectors/src/mcp/{write,probe,read,list,session,wire}.ts",
  ],
  { cwd: ROOT },
).filter((path) => !path.endsWith(".test.ts"));

interface Node {
  readonly type: string;
  readonly start: number;
  readonly parent?: Node;
  readonly [key: string]: unknown;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly nodes: readonly Node[];
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

const read = (path: string): Source => {
  const text = readFileSync(`${ROOT}${path}`, "utf8");
  const nodes: Node[] = [];
  const walk = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, parent);
    if (!isNode(value)) return;
    const node = parent === undefined ? value : Object.assign(value, { parent });
    nodes.push(node);
    for (const [key, child] of Object.entries(node)) if (key !== "parent") walk(child, node);
  };
  const { program, errors } = parseSync(path, text, { lang: "ts" });
  if (errors.length > 0) throw new Error(`${path} cannot be read`);
  walk(program, undefined);
  return { path, text, nodes };
};

const child = (node: Node | undefined, key: string): Node | undefined => {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
};
const children = (node: Node | undefined, key: string): readonly Node[] => {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

function* above(node: Node): Generator<Node> {
  for (let up = node.parent; up !== undefined; up = up.parent) yield up;
}

/** The name by which something is called: `fp`, `client.send`, `this.wire.ask`. */
const nameOf = (node: Node | undefined): string => {
  if (node === undefined) return "";
  if (node.type === "ThisExpression") return "this";
  if (node.type === "Identifier" || node.type === "PrivateIdentifier") return String(node["name"]);
  if (node.type === "MemberExpression") return `${nameOf(child(node, "object"))}.${nameOf(child(node, "property"))}`;
  return "";
};

const isFunction = (node: Node): boolean =>
  ["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"].includes(node.type);

const calls = (node: Node, name: RegExp): boolean =>
  node.type === "CallExpression" && name.test(nameOf(child(node, "callee")));

const declaredName = (fn: Node): string => {
  if (fn.type === "FunctionDeclaration") return nameOf(child(fn, "id"));
  const { parent } = fn;
  if (parent?.type === "VariableDeclarator") return nameOf(child(parent, "id"));
  return parent?.type === "MethodDefinition" || parent?.type === "Property" ? `.${nameOf(child(parent, "key"))}` : "";
};

/** How a method or a property is called: by its last name. */
const lastName = (name: string): string => (name.includes(".") ? `.${name.split(".").at(-1) ?? ""}` : name);

/** Inside a transaction nothing can stay half done: the whole of it is one point. */
const isInTransaction = (node: Node): boolean =>
  [...above(node)].some(
    (up) =>
      (isFunction(up) && up.parent !== undefined && calls(up.parent, /^(transaction|inWorkspace)$/)) ||
      (isFunction(up) && children(up, "params").some((param) => nameOf(param) === "tx")),
  );

const sources = WATCHED.map(read);
const everything = sources.flatMap(({ nodes }) => nodes);
const functions = new Set(sources.flatMap(({ nodes }) => nodes.filter(isFunction).map(declaredName)));
functions.delete("");

/** Brackets around a whole invocation: they say where it began and ended, not where it stopped. */
const WHOLE = /^(sqs\.receive|job\.receive|ingest\.receive|sweep\.round)$/;
const pointName = (node: Node): string => String(children(node, "arguments")[0]?.["value"]);
const isPoint = (node: Node): boolean => calls(node, /^fp$/) && !WHOLE.test(pointName(node));

const isExported = (fn: Node): boolean => [...above(fn)].some((up) => up.type === "ExportNamedDeclaration");

/** Whether it happens within a stop point: between its brackets, or in a function that is only called between some. */
const isStopped = (node: Node, seen: ReadonlySet<string> = new Set()): boolean => {
  for (const up of above(node)) {
    if (isPoint(up)) return true;
    const name = isFunction(up) ? declaredName(up) : "";
    if (name === "" || seen.has(name)) continue;
    const nodes = isExported(up) ? everything : (sources.find((source) => source.nodes.includes(node))?.nodes ?? []);
    const sites = nodes.filter((one) => one.type === "CallExpression" && nameOf(child(one, "callee")) === name);
    if (sites.length > 0 && sites.every((site) => isStopped(site, new Set([...seen, name])))) return true;
  }
  return false;
};

/** What is awaited, without what only maps its outcome. */
const awaited = (node: Node | undefined): readonly Node[] => {
  if (node === undefined) return [];
  if (node.type === "ConditionalExpression")
    return [...awaited(child(node, "consequent")), ...awaited(child(node, "alternate"))];
  if (node.type === "ParenthesizedExpression") return awaited(child(node, "expression"));
  const callee = child(node, "callee");
  if (node.type === "CallExpression" && /\.(then|catch|finally)$/.test(`.${nameOf(child(callee, "property"))}`))
    return awaited(child(callee, "object"));
  return [node];
};

/** What leaves the process. Each must happen within a stop point, awaited or not. */
const EFFECTS =
  /(^|\.)(transaction|inWorkspace|client\.send|deps\.ring|vault\.open|connector\.(read|write|probe|recheck|prepare|pin|describe|discover|testConnection)|session\.(callTool|request)|egress\.request|git\.push|git\.listServerRefs|(jobs|steps|queue)\.send(Many)?|store\.(get|getAbove)|events\.(append|look)|approvals\.(frozen|claimExecution|expireDue)|gateway\.turn)$/;

const isEffect = (node: Node): boolean => {
  if (calls(node, EFFECTS)) return true;
  return node.type === "TaggedTemplateExpression" && /(^|\.)(sql|connection)$/.test(nameOf(child(node, "tag")));
};

/**
 * Waits for work that was begun elsewhere, for time, for memory or for the end of what nobody listens to any more; or asks
 * for a right before anything else.
 */
const HARMLESS =
  /^(allSettled|Promise\.\w+|git\.writeRef|fs\.promises\.writeFile|addBaseTrees|describeSource|search|readFile|rest\.next|first|this\.(client|transport)\.close|require(Platform)?Admin)$/;

const isParameter = (node: Node, name: string): boolean =>
  [...above(node)].some((up) => isFunction(up) && children(up, "params").some((param) => nameOf(param) === name));

const functionOf = (node: Node): Node | undefined => [...above(node)].find(isFunction);

/** The only thing that its function waits for, within a point: stopping there is stopping at it. */
const isAlone = (node: Node): boolean => {
  const waits = everything.filter((one) => one.type === "AwaitExpression" && functionOf(one) === functionOf(node));
  return isStopped(node) && waits.length <= 1;
};

const isCovered = (node: Node): boolean => {
  if (["Literal", "NewExpression"].includes(node.type) || isInTransaction(node)) return true;
  const name = node.type === "CallExpression" ? nameOf(child(node, "callee")) : nameOf(node);
  if (name === "fp" || HARMLESS.test(name)) return true;
  const isOurs = functions.has(lastName(name)) || functions.has(`.${name}`) || isParameter(node, name);
  return (isOurs && !isEffect(node)) || isAlone(node);
};

/** Set up once, before there is work: an emulator's queues, and how a function is put together. */
const SETUP = /^(ensureQueues|ensureQueue|create|compose)$/;
const isSetup = (node: Node): boolean => [...above(node)].some((up) => isFunction(up) && SETUP.test(declaredName(up)));
/** Looks, for a screen; nothing is written after it. */
const LOOKS = /^(\.depth|writeStop|platformWriteStop)$/;
const isLooking = (node: Node): boolean =>
  [...above(node)].some((up) => isFunction(up) && LOOKS.test(declaredName(up)));

const where = (source: Source, node: Node): string =>
  `${source.path}:${source.text.slice(0, node.start).split("\n").length} ${source.text.slice(node.start, node.start + 60).split("\n")[0] ?? ""}`;

test("the scanner sees awaits, effects and points", () => {
  expect(WATCHED.length).toBeGreaterThan(40);
  expect(everything.filter((node) => node.type === "AwaitExpression").length).toBeGreaterThan(150);
  expect(everything.filter(isEffect).length).toBeGreaterThan(40);
});

test("house rule 9: no I/O of the engine, the verbs, the write paths and the queue is awaited without a stop point", () => {
  const bare: string[] = [];
  for (const source of sources) {
    for (const node of source.nodes) {
      if (isSetup(node) || isLooking(node)) continue;
      const isOpenLoop = node.type === "ForOfStatement" && node["await"] === true && !isStopped(node);
      const isOpenEffect = isEffect(node) && !isInTransaction(node) && !isStopped(node);
      const isOpenAwait =
        node.type === "AwaitExpression" && awaited(child(node, "argument")).some((one) => !isCovered(one));
      if (isOpenLoop || isOpenEffect || isOpenAwait) bare.push(where(source, node));
    }
  }
  expect(bare).toEqual([]);
});

test("G1 there are at least 60 stop points, each with a name of its own", () => {
  const names = everything.filter((node) => calls(node, /^fp$/)).map(pointName);
  console.log(`${names.length} stop points: ${[...names].sort().join(" ")}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => !/^[a-z]+\.[a-z_]+$/.test(name))).toEqual([]);
  expect(names.length).toBeGreaterThanOrEqual(60);
});
