export { create, update } from "./create.ts";
export type { ChatChange } from "./create.ts";
export { get } from "./get.ts";
export { list } from "./list.ts";
export type { ChatQuery } from "./list.ts";
export { postMessage } from "./post-message.ts";
export type { NewMessage, Posted } from "./post-message.ts";
