import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const FUNCTIONS = ["api", "step", "jobs", "ingest", "sweep"] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** Compiled code cannot be bundled; it is shipped beside the bundle as installed. */
const NATIVE = ["@node-rs/argon2", "@duckdb/node-api"];

/** The process that fetches Git repositories, for the functions that do: a second program beside theirs (N67). */
const FETCH_CHILD = "packages/connectors/src/git/fetch-child.ts";
const FETCHING: readonly FunctionName[] = ["step", "jobs"];
/** The process in which DuckDB runs, for the functions that query or import uploads (M9, M10). */
const UPLOADS_CHILD = "packages/connectors/src/uploads/child.ts";
const READING_UPLOADS: readonly FunctionName[] = ["step", "jobs", "ingest"];

/**
 * Builds one function as it is deployed: one ES module for the runtime's Node, beside it `fetch-child.mjs` where it
 * fetches. Returns the function's file and the bytes of all (OPS-3).
 */
export const bundleFunction = async (
  name: FunctionName,
  outDir: string,
): Promise<{ readonly file: string; readonly bytes: number }> => {
  const file = join(outDir, `${name}.mjs`);
  const result = await build({
    entryPoints: {
      [name]: join(root, "functions", name, "src", "handler.ts"),
      ...(FETCHING.includes(name) ? { "fetch-child": join(root, FETCH_CHILD) } : {}),
      ...(READING_UPLOADS.includes(name) ? { "uploads-child": join(root, UPLOADS_CHILD) } : {}),
    },
    outdir: outDir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    external: NATIVE,
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    logLevel: "silent",
    // Some libraries inside are CommonJS and ask for Node's own modules by require.
    banner: {
      js: 'import { createRequire as __aiwRequire } from "node:module"; const require = __aiwRequire(import.meta.url);',
    },
  });
  return { file, bytes: Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0) };
};
