import type { ApiScope } from "@aiw/contract/keys";
import { transaction, type Database } from "@aiw/platform/db";
import type { Visitor } from "../identity/actors.ts";
import { hashToken } from "../identity/sessions.ts";

/** What keys begin with, so that one that leaked is recognised as such. */
export const KEY_PREFIX = "aiw_";
const TOKEN = /^aiw_[A-Za-z0-9_-]{43}$/;

interface Row {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly scopes: ApiScope[];
  readonly user_id: string;
  readonly user_name: string;
  readonly display_name: string;
  readonly is_global_approver: boolean;
  readonly must_change_password: boolean;
  readonly aged: boolean;
}

/** A person who acts through a key: in its workspace, for its scopes, and never as a platform admin. */
export interface KeyVisitor extends Visitor {
  readonly key: NonNullable<Visitor["key"]>;
  readonly scopes: ReadonlySet<ApiScope>;
}

/**
 * Who a key belongs to; null when it is unknown, revoked, past its time, or its owner disabled (IDN-5). Its rights are those of the
 * owner at this moment. When it was used last is written at most once a minute.
 */
export const authenticate = async (db: Database, token: string): Promise<KeyVisitor | null> => {
  if (!TOKEN.test(token)) return null;
  const hash = hashToken(token);
  return transaction(db, { workspaces: [] }, async (tx) => {
    await tx`select set_config('aiw.key_hash', ${hash.toString("hex")}, true)`;
    const [row] = await tx<Row[]>`
      select k.id, k.workspace_id, k.name, k.scopes, u.id as user_id, u.name as user_name, u.display_name, u.is_global_approver,
             u.must_change_password, coalesce(k.last_used_at < aiw_now() - interval '60 seconds', true) as aged
        from api_keys k join users u on u.id = k.user_id
       where k.token_hash = ${hash} and k.revoked_at is null and k.expires_at > aiw_now() and u.disabled_at is null`;
    if (row === undefined) return null;
    if (row.aged) {
      await tx`select set_config('aiw.workspaces', ${row.workspace_id}, true)`;
      await tx`update api_keys set last_used_at = aiw_now() where id = ${row.id}`;
    }
    return {
      kind: "human",
      userId: row.user_id,
      sessionId: row.id,
      name: row.user_name,
      displayName: row.display_name,
      isPlatformAdmin: false,
      isGlobalApprover: row.is_global_approver,
      mustChangePassword: row.must_change_password,
      key: { id: row.id, workspaceId: row.workspace_id, name: row.name },
      scopes: new Set(row.scopes),
    };
  });
};
