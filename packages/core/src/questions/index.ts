export { answer } from "./answer.ts";
