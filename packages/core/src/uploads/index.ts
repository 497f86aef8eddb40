export { complete } from "./complete.ts";
export { connect } from "./connect.ts";
export { create, type UploadEdges } from "./create.ts";
export { ALL_UPLOADS, folderOf, originalKey, tableKey } from "./keys.ts";
export { list } from "./list.ts";
export { remove } from "./remove.ts";
export { orphans, tidyDue } from "./tidy.ts";
export { forget, forImport, recordFault, recordTable, type UploadToImport } from "./work.ts";
