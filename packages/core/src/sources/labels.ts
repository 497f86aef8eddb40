import type { Member } from "@aiw/contract/actors";
import type { SourceLabels } from "@aiw/contract/labels";
import { Problem } from "@aiw/contract/problem";
import type { Source } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { one } from "./get.ts";

/**
 * Says what a source is (POL-11). Open requests are judged by the newer labels, as by any newer rule. Audited with old and new.
 * @throws Problem forbidden | not_found
 */
export const setLabels = async (ctx: Ctx<Member>, sourceId: string, labels: SourceLabels): Promise<Source> => {
  await requireAdmin(ctx);
  const { userId, workspaceId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    const [before] = await tx<SourceLabels[]>`
      select environment, sensitivity, trust from sources
       where id = ${sourceId} and workspace_id = ${workspaceId} and removed_at is null for update`;
    if (before === undefined) throw new Problem("not_found");
    const { environment, sensitivity, trust } = labels;
    await tx`update sources set environment = ${environment}, sensitivity = ${sensitivity}, trust = ${trust} where id = ${sourceId}`;
    await tx`update workspaces set policy_version = policy_version + 1 where id = ${workspaceId}`;
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: "source.labelled",
      objectKind: "source",
      objectId: sourceId,
      source: "api",
      data: { from: { ...before }, to: { environment, sensitivity, trust } },
    });
    return one(tx, workspaceId, sourceId);
  });
};

/**
 * Refuses to connect a server with outward tools (classified as external or destructive writes) where confidential sources and
 * untrusted content already come together (POL-11): what one of them says could carry the other one's data out.
 * @throws Problem dangerous_combination, with the names of the sources
 */
export const refuseCombination = async (tx: Tx, workspaceId: string, serverName: string): Promise<void> => {
  const [found] = await tx<{ blocked: boolean; confidential: string | null; untrusted: string | null }[]>`
    select workspace_combined_v1(${workspaceId}::uuid) and exists (select from tools t
             where t.source_kind = ${`mcp:${serverName}`} and t.risk_class in ('write_external', 'destructive')) as blocked,
           (select string_agg(c.name, ', ' order by c.name) from connected_sources c where c.workspace_id = ${workspaceId} and c.labels ->> 'sensitivity' = 'confidential') as confidential,
           (select string_agg(c.name, ', ' order by c.name) from connected_sources c where c.workspace_id = ${workspaceId} and c.labels ->> 'trust' = 'untrusted') as untrusted`;
  if (found?.blocked !== true) return;
  throw new Problem("dangerous_combination", {
    params: { confidential: found.confidential, untrusted: found.untrusted, server: serverName },
  });
};
