import type { Human } from "@aiw/contract/actors";
import type { Combination, WorkspaceCombination } from "@aiw/contract/labels";
import { Problem } from "@aiw/contract/problem";
import { saysSomething } from "@aiw/contract/text";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly confidential: string[];
  readonly untrusted: string[];
  readonly at: Date | null;
  readonly reason: string | null;
  readonly by: { readonly id: string; readonly name: string; readonly displayName: string } | null;
}

/** Workspaces whose sources combine dangerously, and those where that was allowed, as far as the transaction may see them. */
const rows = (tx: Tx, workspaceId: string | null): Promise<Row[]> => tx<Row[]>`
  select w.id, w.name, c.confidential, c.untrusted, w.combination_lifted_at as at, w.combination_lifted_reason as reason,
         (select jsonb_build_object('id', u.id, 'name', u.name, 'displayName', u.display_name) from users u where u.id = w.combination_lifted_by) as by
    from workspaces w
    cross join lateral (
      select coalesce(array_agg(s.name order by s.name) filter (where s.labels ->> 'sensitivity' = 'confidential'), '{}') as confidential,
             coalesce(array_agg(s.name order by s.name) filter (where s.labels ->> 'trust' = 'untrusted'), '{}') as untrusted
        from connected_sources s where s.workspace_id = w.id) c
   where (${workspaceId}::uuid is null or w.id = ${workspaceId})
     and (w.combination_lifted_at is not null or c.confidential <> '{}' and c.untrusted <> '{}')
   order by lower(w.name), w.id`;

const toCombination = (row: Row): Combination => ({
  confidential: row.confidential,
  untrusted: row.untrusted,
  lifted: row.at === null ? null : { at: row.at.toISOString(), by: row.by, reason: row.reason ?? "" },
});

/** The combination of one workspace; null: its sources do not combine so, and nobody lifted anything. */
export const combinationOf = async (tx: Tx, workspaceId: string): Promise<Combination | null> => {
  const [row] = await rows(tx, workspaceId);
  return row === undefined ? null : toCombination(row);
};

/**
 * All of them by workspace, for platform admins, who need not be members (POL-11). Of what is no such combination they learn
 * nothing here. @throws Problem forbidden
 */
export const listCombinations = async (ctx: Ctx<Human>): Promise<WorkspaceCombination[]> => {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, async (tx) => {
    await tx`select set_config('aiw.review', 'combinations', true)`;
    const found = await rows(tx, null);
    return found.map((row) => ({ workspace: { id: row.id, name: row.name }, ...toCombination(row) }));
  });
};

/**
 * Lifts the block of outward tools in a workspace whose sources make a dangerous combination, with a reason, or puts it back
 * (POL-11). For platform admins, who need not be members; audited.
 * @throws Problem forbidden | not_found | reason_required
 */
export const liftCombination = async (
  ctx: Ctx<Human>,
  workspaceId: string,
  input: { readonly lifted: boolean; readonly reason: string },
): Promise<{ readonly lifted: boolean }> => {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const reason = input.reason.trim();
  if (input.lifted && !saysSomething(reason)) throw new Problem("reason_required", { fields: { reason: "required" } });
  return transaction(ctx.db, { workspaces: [workspaceId], userId }, async (tx) => {
    const found = await tx`
      update workspaces set combination_lifted_at = case when ${input.lifted} then aiw_now() end,
             combination_lifted_by = ${input.lifted ? userId : null}, combination_lifted_reason = ${input.lifted ? reason : null},
             policy_version = policy_version + 1
       where id = ${workspaceId} returning id`;
    if (found.length === 0) throw new Problem("not_found");
    await audit.write(tx, {
      workspaceId,
      actor: audit.human(userId),
      event: input.lifted ? "policy.combination_lifted" : "policy.combination_blocked",
      objectKind: "workspace",
      objectId: workspaceId,
      source: "api",
      data: { reason },
    });
    return { lifted: input.lifted };
  });
};
