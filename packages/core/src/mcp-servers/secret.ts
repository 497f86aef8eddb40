import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { McpServer } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import { lastFour, type Vault } from "@aiw/platform/vault";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { views } from "./view.ts";

/** What the platform's token for a server is sealed for; `connected_sources` names the same. */
export const secretContext = (serverId: string): string => `mcp_server:${serverId}`;

/**
 * Replaces the platform's token for a server, or drops it with null; workspaces with a token of their own keep it. Audited.
 * @throws Problem forbidden | not_found
 */
export async function replaceToken(
  ctx: Ctx<Human>,
  serverId: string,
  token: string | null,
  vault: Vault,
): Promise<McpServer> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const sealed = token === null ? null : await vault.seal(token, secretContext(serverId));
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const rows = await tx`
      update mcp_servers set secret = ${sealed}, secret_last4 = ${token === null ? null : lastFour(token)}
       where id = ${serverId} and removed_at is null returning id`;
    if (rows.length === 0) throw new Problem("not_found");
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(userId),
      event: "mcp_server.secret_replaced",
      objectKind: "mcp_server",
      objectId: serverId,
      source: "api",
      data: { withSecret: token !== null },
    });
    const [server] = await views(tx, serverId);
    if (server === undefined) throw new Problem("not_found");
    return server;
  });
}
