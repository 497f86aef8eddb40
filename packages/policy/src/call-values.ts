import type { SourceLabels } from "@aiw/contract/labels";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import { conditionContext } from "./condition/context.ts";
import type { ConditionValues } from "./condition/values.ts";

/** Who a call is made for and where, as the server knows it. */
export interface Caller {
  readonly userId: string;
  /** `member`, `approver` or `admin` of the workspace. */
  readonly role: string;
  readonly isGlobalApprover: boolean;
  readonly teamId: string;
  readonly workspaceId: string;
  readonly runId: string;
  /** The source the call goes to, with what admins said of it (POL-11). */
  readonly source?: { readonly id: string; readonly labels: SourceLabels };
}

/**
 * What a condition sees of a call (POL-7): `param` is the arguments as they are frozen, `context` what the server sets:
 * `user_id`, `roles` (the role in the workspace, and `global_approver`), `is_admin` (admin of the workspace), `team`,
 * `workspace` and `run`; of the source its `id`, `environment`, `sensitivity` and `trust`. These are ids: names can be changed by those whom a rule binds.
 */
export const callValues = (args: JsonObject, caller: Caller): ConditionValues => {
  const built = conditionContext({
    user_id: caller.userId,
    roles: [caller.role, ...(caller.isGlobalApprover ? ["global_approver"] : [])],
    is_admin: caller.role === "admin",
    team: caller.teamId,
    workspace: caller.workspaceId,
    run: caller.runId,
    ...(caller.source === undefined ? {} : { source: { id: caller.source.id, ...caller.source.labels } }),
  });
  if (!built.ok) throw new Error("the server's own context values were refused");
  return { param: args, context: built.context };
};

/** The actions a tool distinguishes by its `action` argument, from its schema; empty where it has none or any text will do. */
export const actionsOf = (parameters: JsonObject): readonly string[] => {
  const action = memberOf(memberOf(parameters, "properties"), "action");
  const values = memberOf(action, "enum");
  return isList(values) ? values.filter((value): value is string => typeof value === "string") : [];
};

/** Whether the tool takes calls without an action. */
export const hasActionlessCalls = (parameters: JsonObject): boolean => {
  const required = memberOf(parameters, "required");
  return actionsOf(parameters).length === 0 || !isList(required) || !required.includes("action");
};

/**
 * The action of a call, as rules mean it (POL-3): its `action` argument, where the tool's schema lists that action. Null also
 * where `group.action` is the id of a tool: no argument may make the rules of another tool apply.
 */
export const actionOfCall = (
  tool: { readonly group: string; readonly parameters: JsonObject },
  args: JsonObject,
  isTool: (id: string) => boolean,
): string | null => {
  const action = Object.hasOwn(args, "action") ? args["action"] : undefined;
  if (typeof action !== "string" || !actionsOf(tool.parameters).includes(action)) return null;
  return isTool(`${tool.group}.${action}`) ? null : action;
};

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const memberOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  typeof value === "object" && value !== null && !isList(value) && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;
