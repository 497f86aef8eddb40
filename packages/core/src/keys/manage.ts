import { randomBytes } from "node:crypto";
import type { Member } from "@aiw/contract/actors";
import type { ApiKey, ApiScope } from "@aiw/contract/keys";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import * as audit from "../audit/write.ts";
import { readName } from "../identity/names.ts";
import { inWorkspace } from "../identity/scope.ts";
import { hashToken } from "../identity/sessions.ts";
import { KEY_PREFIX } from "./authenticate.ts";
import { views } from "./view.ts";

/** Own keys of the workspace; an admin sees those of everybody. */
export const list = (ctx: Ctx<Member>): Promise<ApiKey[]> =>
  inWorkspace(ctx, (tx) => views(tx, ctx.actor.workspaceId, ctx.actor.role === "admin" ? null : ctx.actor.userId));

/** Keys one person may have at a time in a workspace. */
const MAX_KEYS = 20;

/**
 * Makes a key for oneself (IDN-5): 32 random bytes; the answer holds it once, the database only its hash. Audited.
 * @throws Problem bad_request (name) | conflict (twenty are in use)
 */
export const create = async (
  ctx: Ctx<Member>,
  input: { readonly name: string; readonly scopes: readonly ApiScope[]; readonly expiresInDays: number },
): Promise<{ readonly key: ApiKey; readonly token: string }> => {
  const name = readName(input.name, "name");
  const { userId, workspaceId } = ctx.actor;
  const token = `${KEY_PREFIX}${randomBytes(32).toString("base64url")}`;
  const scopes = [...new Set(input.scopes)];
  return inWorkspace(ctx, async (tx) => {
    await tx`select 1 from users where id = ${userId} for update`;
    const [count] = await tx<{ used: number }[]>`
      select count(*)::integer as used from api_keys where workspace_id = ${workspaceId} and user_id = ${userId} and revoked_at is null and expires_at > aiw_now()`;
    if ((count?.used ?? 0) >= MAX_KEYS) throw new Problem("conflict", { params: { why: "too_many_keys" } });
    const [made] = await tx<{ id: string }[]>`
      insert into api_keys (workspace_id, user_id, name, scopes, token_hash, last4, expires_at)
        values (${workspaceId}, ${userId}, ${name}, ${scopes}, ${hashToken(token)}, ${token.slice(-4)}, aiw_now() + make_interval(days => ${input.expiresInDays}::integer))
        returning id`;
    const [key] = await views(tx, workspaceId, userId, made?.id ?? "");
    if (key === undefined) throw new Problem("internal");
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "key.created",
      objectKind: "api_key",
      objectId: key.id,
      source: "api",
      data: { name, scopes, expiresAt: key.expiresAt },
    });
    return { key, token };
  });
};

/**
 * Revokes a key at once: its owner, or an admin of the workspace. Audited; repeating it changes nothing.
 * @throws Problem not_found
 */
export const revoke = async (ctx: Ctx<Member>, keyId: string): Promise<void> => {
  const { userId, workspaceId, role } = ctx.actor;
  await inWorkspace(ctx, async (tx) => {
    const [key] = await tx<{ name: string; user_id: string; revoked_at: Date | null }[]>`
      select name, user_id, revoked_at from api_keys where id = ${keyId} and workspace_id = ${workspaceId} for update`;
    if (key === undefined || (key.user_id !== userId && role !== "admin")) throw new Problem("not_found");
    if (key.revoked_at !== null) return;
    await tx`update api_keys set revoked_at = aiw_now(), revoked_by = ${userId} where id = ${keyId}`;
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "key.revoked",
      objectKind: "api_key",
      objectId: keyId,
      source: "api",
      data: { name: key.name, owner: key.user_id },
    });
  });
};
