import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Source } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { lastFour, type Vault } from "@aiw/platform/vault";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { one } from "./get.ts";

/** What a source's token is sealed for: it opens for this row alone. */
export const secretContext = (sourceId: string): string => `source:${sourceId}`;

/**
 * Replaces the credentials; the source counts as untested until it is tested with them (SRC-2). Audited.
 * @throws Problem forbidden | not_found | bad_request (a user name for a source that has none)
 */
export async function replaceSecret(
  ctx: Ctx<Member>,
  sourceId: string,
  input: { readonly token: string; readonly username?: string | null | undefined },
  vault: Vault,
): Promise<Source> {
  await requireAdmin(ctx);
  const { userId, workspaceId } = ctx.actor;
  const sealed = await vault.seal(input.token, secretContext(sourceId));
  return inWorkspace(ctx, async (tx) => {
    // Absent: the user name stays. Null: there is none.
    const username = input.username === undefined ? {} : { username: input.username };
    const rows = await tx<{ kind: string }[]>`
      update sources set secret = ${sealed}, secret_last4 = ${lastFour(input.token)}, status = 'untested', last_test = null,
             last_test_at = null, config = case kind when 'git' then config || ${tx.json(username)} else config end
       where id = ${sourceId} and workspace_id = ${workspaceId} and removed_at is null returning kind`;
    const [row] = rows;
    if (row === undefined) throw new Problem("not_found");
    if (row.kind !== "git" && (input.username ?? null) !== null)
      throw new Problem("bad_request", { fields: { username: "unknown" } });
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "source.secret_replaced",
      objectKind: "source",
      objectId: sourceId,
      source: "api",
    });
    return one(tx, workspaceId, sourceId);
  });
}
