export { get } from "./get.ts";
export { save } from "./save.ts";
