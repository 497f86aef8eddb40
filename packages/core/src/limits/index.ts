export { get, set } from "./limits.ts";
