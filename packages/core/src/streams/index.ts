export { globalMarks, marks, memberships } from "./inbox.ts";
export { heads, isOver, read } from "./read.ts";
export type { Batch, Reader } from "./read.ts";
