/** Where the objects of an upload lie. The original goes away once there is a table. */
export const folderOf = (workspaceId: string, uploadId: string): string => `uploads/${workspaceId}/${uploadId}/`;
export const originalKey = (workspaceId: string, uploadId: string): string =>
  `${folderOf(workspaceId, uploadId)}original`;
/** Each attempt writes an object of its own, so that a late one never changes what a table is read from. */
export const tableKey = (workspaceId: string, uploadId: string, attempt: number): string =>
  `${folderOf(workspaceId, uploadId)}data-${attempt}.duckdb`;

/** All uploads of all workspaces. */
export const ALL_UPLOADS = "uploads/";
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const KEY = new RegExp(`^uploads/(${UUID})/(${UUID})/(.+)$`);

/** Which upload an object belongs to; null for one that no upload writes. */
export const ownerOf = (key: string): { readonly workspaceId: string; readonly uploadId: string } | null => {
  const [, workspaceId, uploadId] = KEY.exec(key) ?? [];
  return workspaceId === undefined || uploadId === undefined ? null : { workspaceId, uploadId };
};
