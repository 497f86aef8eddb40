import type { ApiKey, ApiScope } from "@aiw/contract/keys";
import type { Tx } from "@aiw/platform/db";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly owner: ApiKey["owner"];
  readonly scopes: ApiScope[];
  readonly last4: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
  readonly expired: boolean;
}

/** Keys of a workspace, newest first: of one person, or of everybody when `userId` is null. */
export const views = async (
  tx: Tx,
  workspaceId: string,
  userId: string | null,
  only: string | null = null,
): Promise<ApiKey[]> => {
  const rows = await tx<Row[]>`
    select k.id, k.name, json_build_object('id', u.id, 'name', u.name, 'displayName', u.display_name) as owner, k.scopes, k.last4,
           k.created_at, k.expires_at, k.last_used_at, k.revoked_at, k.expires_at <= aiw_now() as expired
      from api_keys k join users u on u.id = k.user_id
     where k.workspace_id = ${workspaceId} and (${userId}::uuid is null or k.user_id = ${userId}) and (${only}::uuid is null or k.id = ${only})
     order by k.id desc limit 200`;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    owner: row.owner,
    scopes: row.scopes,
    last4: row.last4,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    expired: row.expired,
  }));
};
