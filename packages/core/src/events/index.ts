export * from "./append.ts";
export * from "./read.ts";
