import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject, WritePolicy } from "@aiw/contract/tools";
import type { WorkspaceDetail } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { readName } from "../identity/names.ts";
import { inWorkspace } from "../identity/scope.ts";
import { requireFreeName } from "./free-name.ts";
import { detail } from "./get.ts";

export interface WorkspaceChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly writePolicy?: WritePolicy | undefined;
  readonly approvalTtlS?: number | undefined;
  readonly maxToolRounds?: number | undefined;
}

interface Row {
  readonly name: string;
  readonly description: string;
  readonly write_policy: WritePolicy;
  readonly approval_ttl_s: number;
  readonly max_tool_rounds: number;
}

/**
 * Changes settings (workspace admin); another write policy raises the policy version, so that open requests are judged
 * anew. Audited with old and new values; a change to the present value is none.
 * @throws Problem forbidden | name_taken | bad_request (name, maxToolRounds above the platform's limit)
 */
export async function update(
  ctx: Ctx<Member>,
  change: WorkspaceChange,
  limits: { readonly maxToolRounds: number },
): Promise<WorkspaceDetail> {
  await requireAdmin(ctx);
  if ((change.maxToolRounds ?? 0) > limits.maxToolRounds)
    throw new Problem("bad_request", { fields: { maxToolRounds: "too_large" } });
  const { userId, teamId, workspaceId } = ctx.actor;
  const name = change.name === undefined ? undefined : readName(change.name, "name");
  try {
    return await inWorkspace(ctx, async (tx) => {
      const [before] = await tx<Row[]>`
        select name, description, write_policy, approval_ttl_s, max_tool_rounds from workspaces where id = ${workspaceId} for update`;
      if (before === undefined) throw new Problem("not_found");
      const after: Row = {
        name: name ?? before.name,
        description: change.description ?? before.description,
        write_policy: change.writePolicy ?? before.write_policy,
        approval_ttl_s: change.approvalTtlS ?? before.approval_ttl_s,
        max_tool_rounds: change.maxToolRounds ?? before.max_tool_rounds,
      };
      const data = differences(before, after);
      if (Object.keys(data).length === 0) return detail(tx, userId, workspaceId);
      if (after.name !== before.name) await requireFreeName(tx, { userId, teamId, workspaceId, name: after.name });
      const stricterOrLooser = before.write_policy !== after.write_policy;
      await tx`
        update workspaces set name = ${after.name}, description = ${after.description}, write_policy = ${after.write_policy},
               approval_ttl_s = ${after.approval_ttl_s}, max_tool_rounds = ${after.max_tool_rounds},
               policy_version = policy_version + ${stricterOrLooser ? 1 : 0}
         where id = ${workspaceId}`;
      await audit.write(tx, {
        workspaceId,
        actor: audit.human(userId),
        event: stricterOrLooser ? "policy.changed" : "workspace.updated",
        objectKind: "workspace",
        objectId: workspaceId,
        source: "api",
        data,
      });
      return detail(tx, userId, workspaceId);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

const COLUMNS = ["name", "description", "write_policy", "approval_ttl_s", "max_tool_rounds"] as const;

const differences = (before: Row, after: Row): JsonObject =>
  Object.fromEntries(
    COLUMNS.filter((column) => before[column] !== after[column]).map((column) => [
      column,
      { from: before[column], to: after[column] },
    ]),
  );
