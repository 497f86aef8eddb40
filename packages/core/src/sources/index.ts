export { connectServer } from "./connect-server.ts";
export { create } from "./create.ts";
export type { AddressCheck } from "./address.ts";
export { get, list } from "./get.ts";
export { liftCombination, setLabels } from "./labels.ts";
export { remove } from "./remove.ts";
export { replaceSecret, secretContext } from "./secret.ts";
export { forTest, recordTest, requestTest } from "./test.ts";
export type { SourceToTest, TestResult } from "./test.ts";
