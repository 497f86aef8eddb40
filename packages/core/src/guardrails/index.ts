export { list, reset, save } from "./save.ts";
