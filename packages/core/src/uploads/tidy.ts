import { type Database, transaction } from "@aiw/platform/db";
import { ownerOf } from "./keys.ts";

/** Whether it is time to look for objects that belong to nobody; then the time is noted, so that one process does it. */
export const tidyDue = async (db: Database, everyS: number): Promise<boolean> => {
  const rows = await transaction(
    db,
    "unscoped",
    (tx) => tx`
    update platform_settings set uploads_tidied_at = aiw_now()
     where uploads_tidied_at <= aiw_now() - make_interval(secs => ${everyS}) returning 1`,
  );
  return rows.length === 1;
};

/** Of these keys the ones that no upload needs any more: no row, a table's original, or the table of a lost attempt (F88). */
export const orphans = async (db: Database, keys: readonly string[]): Promise<string[]> => {
  const byWorkspace = new Map<string, { readonly key: string; readonly uploadId: string }[]>();
  const found: string[] = [];
  for (const key of keys) {
    const owner = ownerOf(key);
    if (owner === null) found.push(key);
    else byWorkspace.set(owner.workspaceId, [...(byWorkspace.get(owner.workspaceId) ?? []), { key, ...owner }]);
  }
  for (const [workspaceId, objects] of byWorkspace) {
    const rows = await transaction(
      db,
      { workspaces: [workspaceId] },
      (tx) => tx<{ id: string; status: string; object_key: string | null; removed: boolean }[]>`
      select id, status, object_key, removed_at is not null as removed from uploads
       where workspace_id = ${workspaceId} and id in ${tx([...new Set(objects.map((o) => o.uploadId))])}`,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const { key, uploadId } of objects) {
      const row = byId.get(uploadId);
      // What waits or is being imported needs its original and may be writing its table.
      const isNeeded =
        row !== undefined &&
        !row.removed &&
        (row.object_key === key || row.status === "waiting" || row.status === "importing");
      if (!isNeeded) found.push(key);
    }
  }
  return found;
};
