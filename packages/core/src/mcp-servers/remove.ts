import type { Human } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Job } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { open } from "../jobs/open.ts";
import { raisePolicyVersion } from "../tools/register.ts";

/**
 * Removes a server: its token is erased and its tools are unclassified and gone with this commit, so that nothing reaches it
 * any more, whoever registers the name anew. The job that is returned, to be rung, closes open requests for its tools in all
 * workspaces. Audited.
 * @throws Problem forbidden | not_found
 */
export async function remove(ctx: Ctx<Human>, serverId: string): Promise<Job> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const [server] = await tx<{ name: string }[]>`
      update mcp_servers set removed_at = aiw_now(), secret = null, secret_last4 = null
       where id = ${serverId} and removed_at is null returning name`;
    if (server === undefined) throw new Problem("not_found");
    await tx`
      update tools set missing_at = coalesce(missing_at, aiw_now()), risk_class = null, decision = null, classified_by = null,
             classified_at = null, settings = '{}', version = version + 1
       where source_kind = ${`mcp:${server.name}`}`;
    await raisePolicyVersion(tx);
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(userId),
      event: "mcp_server.removed",
      objectKind: "mcp_server",
      objectId: serverId,
      source: "api",
      data: { name: server.name },
    });
    return open(tx, { workspaceId: null, kind: "tool_discovery", subjectId: serverId, createdBy: userId });
  });
}
