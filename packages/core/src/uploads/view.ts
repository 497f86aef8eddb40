import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Upload } from "@aiw/contract/uploads";
import type { Tx } from "@aiw/platform/db";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly table_name: string;
  readonly format: Upload["format"];
  readonly status: Upload["status"];
  readonly size_bytes: string;
  readonly stored_bytes: string | null;
  readonly row_count: string | null;
  readonly columns: Upload["columns"];
  readonly dialect: Upload["dialect"];
  readonly fault: Upload["fault"];
  readonly created_by: string;
  readonly creator_name: string;
  readonly creator_display: string;
  readonly created_at: Date;
}

/** Uploads of the workspace, newest first; one of them when `only` is given. */
export const views = async (tx: Tx, { workspaceId, userId, role }: Member, only: string | null): Promise<Upload[]> => {
  const rows = await tx<Row[]>`
    select p.id, p.name, p.table_name, p.format, p.status, p.size_bytes, p.stored_bytes, p.row_count, p.columns, p.dialect, p.fault,
           p.created_by, u.name as creator_name, u.display_name as creator_display, p.created_at
      from uploads p join users u on u.id = p.created_by
     where p.workspace_id = ${workspaceId} and p.removed_at is null and (${only}::uuid is null or p.id = ${only})
       and exists (select from sources s where s.id = p.source_id and s.removed_at is null)
     order by p.id desc`;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    table: row.table_name,
    format: row.format,
    status: row.status,
    sizeBytes: Number(row.size_bytes),
    storedBytes: row.stored_bytes === null ? null : Number(row.stored_bytes),
    rows: row.row_count === null ? null : Number(row.row_count),
    columns: row.columns,
    dialect: row.dialect,
    fault: row.fault,
    createdBy: { id: row.created_by, name: row.creator_name, displayName: row.creator_display },
    createdAt: row.created_at.toISOString(),
    mayDelete: row.created_by === userId || role === "admin",
  }));
};

/** @throws Problem not_found */
export const one = async (tx: Tx, actor: Member, uploadId: string): Promise<Upload> => {
  const [found] = await views(tx, actor, uploadId);
  if (found === undefined) throw new Problem("not_found");
  return found;
};

/** Bytes that count for the quota (UPL-3): what is announced or under way by its own size, a table by that of its file. */
export const usedBytes = async (tx: Tx, workspaceId: string): Promise<number> => {
  const [sum] = await tx<{ bytes: string }[]>`
    select coalesce(sum(case status when 'ready' then stored_bytes when 'failed' then 0 else size_bytes end), 0) as bytes
      from uploads where workspace_id = ${workspaceId} and removed_at is null`;
  return Number(sum?.bytes ?? 0);
};

/** The uploads source of a workspace, locked: who changes what its files take, does it one after another. Null: none. */
export const lockSource = async (tx: Tx, workspaceId: string): Promise<string | null> => {
  const [found] = await tx<{ id: string }[]>`
    select id from sources where workspace_id = ${workspaceId} and kind = 'uploads' and removed_at is null for update`;
  return found?.id ?? null;
};
