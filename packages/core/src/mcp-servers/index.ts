export { available, list } from "./list.ts";
export { forDiscovery, recordDiscovery, recordFailure, recordRemoval } from "./record-discovery.ts";
export type { ServerToAsk, Woken } from "./record-discovery.ts";
export { register } from "./register.ts";
export { remove } from "./remove.ts";
export { openDue, requestDiscovery } from "./request-discovery.ts";
export { replaceToken, secretContext } from "./secret.ts";
