import type { Human, Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { PolicyRuleView } from "@aiw/contract/policies";
import type { JsonObject, PolicyLevel } from "@aiw/contract/tools";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { checkDraft } from "./check.ts";
import { loadGround } from "./ground.ts";
import type { RuleDraft, RuleRow } from "./rule.ts";
import { platformScope, type RuleScope, workspaceScope } from "./scope.ts";
import { view } from "./view.ts";

/** A rule for a workspace, or for one of its sources. */
export type WorkspaceDraft = RuleDraft & { readonly sourceId: string | null };

/** Adds a rule, which can only tighten (POL-3). Audited. @throws Problem rule_only_tightens | forbidden | bad_request | rule_pattern_unknown | condition_invalid | rule_taken */
export const create = async (ctx: Ctx<Member>, draft: WorkspaceDraft): Promise<PolicyRuleView> =>
  add(await workspaceScope(ctx), draft);

/** Adds a rule of the platform (POL-8). Audited. @throws Problem forbidden | rule_pattern_unknown | condition_invalid | rule_taken */
export const createPlatform = async (ctx: Ctx<Human>, draft: RuleDraft): Promise<PolicyRuleView> =>
  add(await platformScope(ctx), { ...draft, sourceId: null });

/** Changes the rule, if it still is in this version. Audited. @throws Problem not_found | conflict, and those of `create` */
export const update = async (
  ctx: Ctx<Member>,
  id: string,
  draft: WorkspaceDraft,
  version: number,
): Promise<PolicyRuleView> => change(await workspaceScope(ctx), id, draft, version);

/** Changes the platform's rule, if it still is in this version. Audited. @throws as `update` */
export const updatePlatform = async (
  ctx: Ctx<Human>,
  id: string,
  draft: RuleDraft,
  version: number,
): Promise<PolicyRuleView> => change(await platformScope(ctx), id, { ...draft, sourceId: null }, version);

/** Removes the rule; with a version only in that one. Audited. @throws Problem forbidden | not_found | conflict */
export const remove = async (ctx: Ctx<Member>, id: string, version: number | undefined): Promise<void> =>
  drop(await workspaceScope(ctx), id, version);

/** Removes the platform's rule. Audited. @throws as `remove` */
export const removePlatform = async (ctx: Ctx<Human>, id: string, version: number | undefined): Promise<void> =>
  drop(await platformScope(ctx), id, version);

const add = (scope: RuleScope, given: WorkspaceDraft): Promise<PolicyRuleView> =>
  once(() =>
    scope.change(async (tx) => {
      const draft = await checked(tx, scope, given);
      const [row] = await tx<{ id: string }[]>`
        insert into tool_policies (workspace_id, source_id, level, pattern, decision, condition, approval_level, four_eyes, label, created_by)
        values (${scope.workspaceId}, ${draft.sourceId}, ${levelOf(scope, draft)}, ${draft.pattern}, ${draft.decision}, ${draft.condition},
                ${draft.approvalLevel}, ${draft.fourEyes}, ${draft.label}, ${scope.userId}) returning id`;
      if (row === undefined) throw new Error("the new rule has no id");
      await tell(tx, scope, row.id, "policy.rule_created", { to: facts(draft) });
      return view(tx, scope.workspaceId, row.id);
    }),
  );

const change = (scope: RuleScope, id: string, given: WorkspaceDraft, version: number): Promise<PolicyRuleView> =>
  once(() =>
    scope.change(async (tx) => {
      const before = await find(tx, scope, id, version);
      const draft = await checked(tx, scope, given);
      await tx`
        update tool_policies set source_id = ${draft.sourceId}, level = ${levelOf(scope, draft)}, pattern = ${draft.pattern},
               decision = ${draft.decision}, condition = ${draft.condition}, approval_level = ${draft.approvalLevel},
               four_eyes = ${draft.fourEyes}, label = ${draft.label}, version = version + 1, updated_by = ${scope.userId},
               updated_at = aiw_now()
         where id = ${id}`;
      await tell(tx, scope, id, "policy.rule_changed", { from: facts(before), to: facts(draft) });
      return view(tx, scope.workspaceId, id);
    }),
  );

const drop = (scope: RuleScope, id: string, version: number | undefined): Promise<void> =>
  scope.change(async (tx) => {
    const before = await find(tx, scope, id, version);
    await tx`delete from tool_policies where id = ${id}`;
    await tell(tx, scope, id, "policy.rule_removed", { from: facts(before) });
  });

/** The rule to change: one of the scope's own. */
async function find(tx: Tx, scope: RuleScope, id: string, version: number | undefined): Promise<RuleRow> {
  const [row] = await tx<RuleRow[]>`
    select id, level, source_id as "sourceId", pattern, decision, condition, approval_level as "approvalLevel", four_eyes as "fourEyes",
           label, version
      from tool_policies
     where id = ${id} and workspace_id is not distinct from ${scope.workspaceId}::uuid and level in ('platform', 'workspace', 'source')
       for update`;
  if (row === undefined) throw new Problem("not_found");
  if (version !== undefined && row.version !== version) throw new Problem("conflict");
  return row;
}

async function checked(tx: Tx, scope: RuleScope, given: WorkspaceDraft): Promise<WorkspaceDraft> {
  const { tools } = await loadGround(tx, scope.workspaceId);
  const draft = { ...checkDraft(given, tools, scope.workspaceId === null), sourceId: given.sourceId };
  if (draft.sourceId !== null) await requireSource(tx, draft.sourceId);
  return draft;
}

/** @throws Problem bad_request (sourceId) unless the source is connected here */
export async function requireSource(tx: Tx, sourceId: string): Promise<void> {
  const rows = await tx`select from sources where id = ${sourceId} and removed_at is null`;
  if (rows.length === 0) throw new Problem("bad_request", { fields: { sourceId: "unknown" } });
}

const levelOf = (scope: RuleScope, draft: WorkspaceDraft): PolicyLevel => {
  if (scope.workspaceId === null) return "platform";
  return draft.sourceId === null ? "workspace" : "source";
};

const facts = ({
  pattern,
  decision,
  condition,
  approvalLevel,
  fourEyes,
  label,
  sourceId,
}: WorkspaceDraft): JsonObject => ({
  pattern,
  decision,
  condition,
  approvalLevel,
  fourEyes,
  label,
  sourceId,
});

async function tell(tx: Tx, scope: RuleScope, id: string, event: string, data: JsonObject): Promise<void> {
  await scope.raiseVersion(tx);
  await audit.write(tx, {
    workspaceId: scope.workspaceId,
    actor: audit.human(scope.userId),
    event,
    objectKind: "policy",
    objectId: id,
    source: "api",
    data,
  });
}

/** The same rule twice is one too many: pattern and condition of a level are unique. */
async function once<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (isUniqueViolation(error)) throw new Problem("rule_taken", { fields: { pattern: "taken" }, cause: error });
    throw error;
  }
}
