import type { PolicyLevel } from "@aiw/contract/tools";
import type { PolicyRuleView } from "@aiw/contract/policies";
import type { Tx } from "@aiw/platform/db";
import { BUILT_IN_STAGING_RULES } from "@aiw/policy/decide";
import { loadGround, type Ground } from "./ground.ts";
import type { RuleRow } from "./rule.ts";
import { warningsOf } from "./warnings.ts";

interface Mark {
  readonly id: string;
  readonly source_name: string | null;
  readonly by_id: string | null;
  readonly by_name: string | null;
  readonly by_display: string | null;
  readonly at: Date;
}

/** The rules that hold in a workspace, or those of the platform alone, in the order of the levels; built-in ones first (POL-8). */
export async function views(tx: Tx, workspaceId: string | null, mayChange: boolean): Promise<PolicyRuleView[]> {
  const ground = await loadGround(tx, workspaceId);
  const marks = await tx<Mark[]>`
    select p.id, s.name as source_name, u.id as by_id, u.name as by_name, u.display_name as by_display,
           coalesce(p.updated_at, p.created_at) as at
      from tool_policies p left join sources s on s.id = p.source_id left join users u on u.id = coalesce(p.updated_by, p.created_by)
     where p.workspace_id is null or p.workspace_id = ${workspaceId}`;
  const byId = new Map(marks.map((mark) => [mark.id, mark]));
  const own = ground.rules
    .toSorted((a, b) => order(a.level) - order(b.level) || compare(a.pattern, b.pattern) || compare(a.id, b.id))
    .map((rule) => toView(rule, ground, byId.get(rule.id), mayChange && isOwn(rule.level, workspaceId)));
  return [...builtIn(ground), ...own];
}

/** One of them. */
export async function view(tx: Tx, workspaceId: string | null, id: string): Promise<PolicyRuleView> {
  const found = (await views(tx, workspaceId, true)).find((rule) => rule.id === id);
  if (found === undefined) throw new Error("the saved rule is gone");
  return found;
}

const isOwn = (level: PolicyLevel, workspaceId: string | null): boolean =>
  workspaceId === null ? level === "platform" : level === "workspace" || level === "source";

const LEVELS: readonly PolicyLevel[] = ["platform", "workspace", "source", "agent"];
const order = (level: PolicyLevel): number => LEVELS.indexOf(level);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const toView = (rule: RuleRow, ground: Ground, mark: Mark | undefined, mayChange: boolean): PolicyRuleView => ({
  ...rule,
  sourceName: mark?.source_name ?? null,
  builtIn: false,
  replaced: false,
  mayChange,
  warnings: warningsOf(rule, ground),
  changedBy:
    mark === undefined || mark.by_id === null
      ? null
      : { id: mark.by_id, name: mark.by_name ?? "", displayName: mark.by_display ?? "" },
  changedAt: mark?.at.toISOString() ?? null,
});

/** A platform rule without a condition takes the place of the built-in one of its pattern (`decide`). */
const builtIn = ({ rules }: Ground): PolicyRuleView[] =>
  BUILT_IN_STAGING_RULES.map((rule) => ({
    id: rule.id,
    level: "platform",
    sourceId: null,
    sourceName: null,
    pattern: rule.pattern,
    decision: rule.decision,
    condition: null,
    approvalLevel: null,
    fourEyes: null,
    label: rule.label,
    version: rule.version,
    builtIn: true,
    replaced: rules.some(
      (own) =>
        own.level === "platform" && own.pattern === rule.pattern && (own.condition === null || own.decision === "deny"),
    ),
    mayChange: false,
    warnings: [],
    changedBy: null,
    changedAt: null,
  }));
