import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const FUNCTIONS = ["api", "step", "jobs", "sweep"] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** Compiled code cannot be bundled; it is shipped beside the bundle as installed. */
const NATIVE = ["@node-rs/argon2"];

/** Builds one function as it is deployed: one ES module for the runtime's Node. Returns the file (OPS-3). */
export const bundleFunction = async (name: FunctionName, outDir: string): Promise<{ readonly file: string; readonly bytes: number }> => {
  const file = join(outDir, `${name}.mjs`);
  const result = await build({
    entryPoints: [join(root, "functions", name, "src", "handler.ts")],
    outfile: file,
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
    banner: { js: 'import { createRequire as __aiwRequire } from "node:module"; const require = __aiwRequire(import.meta.url);' },
  });
  return { file, bytes: Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0) };
};
