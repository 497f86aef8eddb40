export { create, update } from "./create.ts";
export { get } from "./get.ts";
export { list } from "./list.ts";
export { postMessage } from "./post-message.ts";
