const SOURCE = new URL("./child.ts", import.meta.url);
/** The program of the process in which DuckDB runs; a bundle has it beside itself as `uploads-child.mjs`. */
export const PROGRAM = import.meta.url.endsWith(".ts") ? SOURCE : new URL("./uploads-child.mjs", import.meta.url);
