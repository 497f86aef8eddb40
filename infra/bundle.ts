import { build, type Metafile } from "esbuild";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { type FunctionName, PLANS } from "./functions.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Compiled code cannot be bundled; it is shipped beside the bundle as installed. */
const NATIVE = ["@node-rs/argon2"];
/** The compiled half of DuckDB, 70 MB: in a layer of its own, so that what changes with every release stays small. */
const DUCKDB = "@duckdb/node-bindings-linux-x64";

/** The process that fetches Git repositories, for the functions that do: a second program beside theirs (N67). */
const FETCH_CHILD = "packages/connectors/src/git/fetch-child.ts";
const FETCHING: readonly FunctionName[] = ["step", "jobs"];
/** The process in which DuckDB runs, for the functions that query or import uploads (M9, M10); its compiled half is a layer. */
const UPLOADS_CHILD = "packages/connectors/src/uploads/child.ts";

/** One folder as it is uploaded, and what it weighs. */
export interface PackedFunction {
  readonly directory: string;
  readonly file: string;
  readonly bytes: number;
  /** Compressed as the upload is, without the few bytes of its table of contents. */
  readonly zippedBytes: number;
}

/**
 * Packs one function as it is deployed, into `outDir/NAME`: one ES module for the runtime's Node, beside it `fetch-child.mjs`
 * where it fetches, and what is compiled as installed, for the system this runs on (OPS-3).
 * @throws Error when a compiled part is not installed for Linux on x64, the deployed system
 */
export const packFunction = async (name: FunctionName, outDir: string): Promise<PackedFunction> => {
  const directory = join(outDir, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const metafile = await bundle(programsOf(name), directory);
  for (const native of nativeOf(metafile)) copyNative(native, join(directory, "node_modules"));
  const files = filesIn(directory).map((path) => readFileSync(path));
  return {
    directory,
    file: join(directory, `${name}.mjs`),
    bytes: files.reduce((sum, file) => sum + file.length, 0),
    zippedBytes: files.reduce((sum, file) => sum + deflateRawSync(file).length, 0),
  };
};

/** The programs of a function by their names, from the repository's root: its own, and those it starts. */
const programsOf = (name: FunctionName): Readonly<Record<string, string>> => ({
  [name]: `functions/${name}/src/handler.ts`,
  ...(FETCHING.includes(name) ? { "fetch-child": FETCH_CHILD } : {}),
  ...(PLANS[name].duckdb ? { "uploads-child": UPLOADS_CHILD } : {}),
});

const bundle = async (programs: Readonly<Record<string, string>>, outdir: string): Promise<Metafile> => {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(root, path)])),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    external: [...NATIVE, "@duckdb/node-bindings-*"],
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    logLevel: "silent",
    // Some libraries inside are CommonJS and ask for Node's own modules by require.
    banner: {
      js: 'import { createRequire as __aiwRequire } from "node:module"; const require = __aiwRequire(import.meta.url);',
    },
  });
  return metafile;
};

const CONTAINER = `FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY . .
USER node
EXPOSE 3000
CMD ["node", "service.mjs"]
`;

/** Packs the API as a service for a container, into `outDir/service`, with what an image is built from (OPS-4). */
export const packService = async (outDir: string): Promise<string> => {
  const directory = join(outDir, "service");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const metafile = await bundle({ service: "functions/api/src/service.ts" }, directory);
  for (const native of nativeOf(metafile)) copyNative(native, join(directory, "node_modules"));
  writeFileSync(join(directory, "Dockerfile"), CONTAINER);
  return directory;
};

/**
 * Packs the layer with DuckDB into `outDir/duckdb`, as the platform unpacks it under /opt. The folder's `nodejs/node_modules` is on
 * NODE_PATH there, by which the bundled half finds the compiled one.
 */
export const packLayer = (outDir: string): { readonly directory: string; readonly nodePath: string } => {
  const directory = join(outDir, "duckdb");
  const nodePath = join(directory, "nodejs", "node_modules");
  rmSync(directory, { recursive: true, force: true });
  copyInstalled(DUCKDB, nodePath);
  return { directory, nodePath };
};

const nativeOf = ({ outputs }: Metafile): readonly string[] => {
  const imported = Object.values(outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return NATIVE.filter((name) => imported.includes(name));
};

/** The package and its compiled half, which is a package of its own for each system. */
const copyNative = (name: string, to: string): void => {
  for (const part of [name, `${name}-linux-x64-gnu`]) copyInstalled(part, to);
};

const copyInstalled = (name: string, to: string): void => {
  const from = join(root, "node_modules", name);
  if (!existsSync(from))
    throw new Error(
      `${name} is not installed; on another system than Linux on x64 add it with: npm install --no-save --force ${name}`,
    );
  cpSync(from, join(to, name), { recursive: true });
};

const filesIn = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true, recursive: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
