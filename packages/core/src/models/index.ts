export { available, choose } from "./choose.ts";
export { ensureConfigured } from "./configured.ts";
export { createEndpoint, removeEndpoint, updateEndpoint } from "./endpoints.ts";
export { setKey } from "./keys.ts";
export { keyContext } from "./model.ts";
export { create, list, remove, setDefaults, update } from "./save.ts";
export { forWork, recordImport, recordTest, requestImport, requestTest, storable } from "./work.ts";
