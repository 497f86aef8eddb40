export { type DeadLetterQueues, list, settle } from "./letters.ts";
