import type { Access, Endpoint } from "@aiw/contract/api";
import { id } from "@aiw/contract/ids";
import { Problem } from "@aiw/contract/problem";
import { authenticate, requireAdmin, requirePlatformAdmin, type Visitor } from "@aiw/core/identity";
import * as apiKeys from "@aiw/core/keys";
import * as workspaces from "@aiw/core/workspaces";
import { type Ctx, withActor } from "@aiw/platform/ctx";
import type { ApiDeps } from "../deps.ts";
import type { MemberVisitor } from "./call.ts";

interface Credentials {
  readonly token: string | undefined;
  /** The header; then the cookie is not looked at. */
  readonly authorization: string | null;
  readonly address: string;
}

/**
 * Who the session cookie or the API key belongs to; null for nobody, also for a header of any other kind (N20).
 * @throws Problem rate_limited (SEC-6)
 */
export async function visitorOf(
  deps: ApiDeps,
  { token, authorization, address }: Credentials,
): Promise<Visitor | apiKeys.KeyVisitor | null> {
  if (authorization === null) return token === undefined ? null : authenticate(deps.db, token, deps.signIn);
  const [, key] = /^Bearer ([A-Za-z0-9_-]{1,100})$/i.exec(authorization) ?? [];
  if (key === undefined) return null;
  if (!deps.keyGuard.admit(address, key)) throw new Problem("rate_limited");
  return apiKeys.authenticate(deps.db, key);
}

/** A key is good for the endpoints of its scopes alone; a session for all (IDN-5). */
export const mayCall = (visitor: Visitor | apiKeys.KeyVisitor, endpoint: Pick<Endpoint, "scope">): boolean =>
  !("scopes" in visitor) || (endpoint.scope !== undefined && visitor.scopes.has(endpoint.scope));

/** What a person may do before they have set a password of their own (IDN-2). */
const BEFORE_OWN_PASSWORD: ReadonlySet<string> = new Set(["me", "changePassword"]);

/**
 * The context of a handler (SEC-1): signed in, a member of the workspace in the path, an admin of it, or a platform
 * admin, as the endpoint demands.
 * @throws Problem not_signed_in | password_change_required | not_found | forbidden
 */
export async function admit(
  ctx: Ctx<Visitor | null>,
  endpoint: { readonly name: string; readonly access: Access },
  workspaceId: string | undefined,
): Promise<Ctx<Visitor | MemberVisitor | null>> {
  if (endpoint.access === "public") return ctx;
  if (ctx.actor === null) throw new Problem("not_signed_in");
  if (ctx.actor.mustChangePassword && !BEFORE_OWN_PASSWORD.has(endpoint.name))
    throw new Problem("password_change_required");
  const known = withActor(ctx, ctx.actor);
  switch (endpoint.access) {
    case "session":
      return known;
    case "platform":
      await requirePlatformAdmin(known);
      return known;
    case "member":
    case "admin": {
      const wanted = id.safeParse(workspaceId?.toLowerCase());
      if (!wanted.success) throw new Problem("not_found");
      const entered = await workspaces.enter(known, wanted.data);
      if (endpoint.access === "admin") await requireAdmin(entered);
      return withActor(entered, { ...entered.actor, sessionId: known.actor.sessionId });
    }
  }
}
