export { globalMarks, marks, memberships } from "./inbox.ts";
export { heads, isOver, isWaiting, read } from "./read.ts";
export type { Batch, Reader } from "./read.ts";
