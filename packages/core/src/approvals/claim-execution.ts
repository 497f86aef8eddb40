import { NO_LABELS, type SourceLabels } from "@aiw/contract/labels";
import type { InvalidReason } from "@aiw/contract/runs";
import type { Ctx } from "@aiw/platform/ctx";
import type { Agent } from "@aiw/contract/actors";
import { transaction, type Tx } from "@aiw/platform/db";
import { sha256Hex } from "@aiw/policy/freeze";
import { readSettings, rulesOf } from "../agents/settings.ts";
import type { LoadedPolicy, LoadedTool } from "../runs/run.ts";
import { LeaseLost } from "../runs/run.ts";
import { opened, partContext, type Opener, type RequestPart } from "./sealed.ts";

/** The request as it is stored at the moment of the claim, and who stands behind it. */
export interface ExecutionFacts {
  readonly id: string;
  readonly toolId: string;
  readonly toolCallId: string;
  readonly runId: string;
  readonly sourceId: string | null;
  readonly snapshot: string;
  readonly snapshotHash: string;
  readonly argsText: string;
  readonly form: string;
  readonly formVersion: number;
  readonly preview: string;
  readonly preconditions: string;
  readonly definitionHash: string;
  readonly policyVersion: number;
  readonly level: "workspace_admin" | "global_approver";
  readonly fourEyes: boolean;
  readonly callId: string;
  readonly requesterId: string;
  readonly allowedByPolicy: boolean;
  /** Now, in the transaction of the claim (APR-3): */
  readonly lapsed: boolean;
  readonly snapshotIntact: boolean;
  readonly requesterMay: boolean;
  readonly deciderMay: boolean;
  readonly sourceConnected: boolean;
  /** The requester as a member, for conditions (POL-7). */
  readonly requester: { readonly role: string; readonly isGlobalApprover: boolean };
  readonly teamId: string;
  /** A write to the outside while platform or workspace stopped them (POL-13). */
  readonly stopped: boolean;
  readonly writePolicy: "risk_based" | "confirm_external";
  readonly chatMode: "work" | "plan";
  /** What admins said of the source, and whether its workspace blocks outward tools (POL-11). */
  readonly labels: SourceLabels;
  readonly combined: boolean;
  readonly tool: LoadedTool | null;
  readonly policies: readonly LoadedPolicy[];
}

export type ExecutionClaim =
  | {
      readonly kind: "claimed";
      readonly facts: ExecutionFacts;
      readonly attempt: number;
      readonly idempotencyKey: string;
    }
  | { readonly kind: "invalid"; readonly reason: InvalidReason }
  /** Writes are stopped (POL-13): the request stays approved and is marked, the sweeper sends its run on afterwards. */
  | { readonly kind: "held" }
  /** Not approved any more, or the run is to be cancelled. */
  | { readonly kind: "gone" };

/**
 * T1 of the write protocol (spec 70 section 2): one transaction that locks run and request, looks at everything again and
 * commits the intent (`executing`, attempt, fence) before anything happens outside. `judge` is pure: it sees the facts of
 * this very transaction and may only veto. The lease is extended to cover the call.
 */
export const claimExecution = async (
  ctx: Ctx<Agent>,
  input: { readonly approvalId: string; readonly callTimeoutS: number; readonly vault: Opener },
  judge: (facts: ExecutionFacts) => InvalidReason | null,
): Promise<ExecutionClaim> =>
  transaction(ctx.db, { workspaces: [ctx.actor.workspaceId] }, async (tx) => {
    const { runId, workspaceId, fence } = ctx.actor;
    // The shared lock: once the switch is thrown, whoever had seen it open before has committed (POL-13, `stopWrites`).
    const [run] = await tx<{ cancelled: boolean }[]>`
      select cancel_requested_at is not null as cancelled, pg_advisory_xact_lock_shared(hashtextextended('aiw.writes', 0))
        from runs where id = ${runId} and fence = ${fence} and status = 'running' for update`;
    if (run === undefined) throw new LeaseLost();
    // Who cancelled before this moment is obeyed; who comes later waits for the outcome (F46).
    if (run.cancelled) return { kind: "gone" };
    const facts = await read(tx, workspaceId, runId, input.approvalId, input.vault);
    if (facts === null) return { kind: "gone" };
    const reason = judge(facts);
    if (reason !== null) return { kind: "invalid", reason };
    if (facts.stopped) {
      await tx`update approvals set held_at = coalesce(held_at, aiw_now()) where id = ${input.approvalId}`;
      return { kind: "held" };
    }
    const [claimed] = await tx<{ attempt: number }[]>`
      update approvals set status = 'executing', attempt = attempt + 1, exec_fence = ${fence}, executing_at = aiw_now(), held_at = null
        where id = ${input.approvalId} and status = 'approved' and (execute_before is null or execute_before > aiw_now()) returning attempt`;
    if (claimed === undefined) return { kind: "invalid", reason: "lapsed" };
    // Sent one behind the other, waited for once.
    await Promise.all([
      tx`update tool_calls set status = 'executing', started_at = coalesce(started_at, aiw_now()) where id = ${facts.toolCallId}`,
      tx`update runs set lease_until = greatest(lease_until, aiw_now() + make_interval(secs => ${input.callTimeoutS + 15})) where id = ${runId}`,
      tx`insert into audit_events (workspace_id, actor_kind, event, object_kind, object_id, run_id, source, data)
        values (${workspaceId}, 'agent', 'approval.executing', 'approval', ${input.approvalId}, ${runId}, 'approval',
                ${tx.json({ tool: facts.toolId, hash: facts.snapshotHash, attempt: claimed.attempt })})`,
    ]);
    return { kind: "claimed", facts, attempt: claimed.attempt, idempotencyKey: `aiw_${input.approvalId}` };
  });

interface Row {
  id: string;
  tool_id: string;
  tool_call_id: string;
  run_id: string;
  source_id: string | null;
  snapshot: string;
  snapshot_hash: string;
  args_text: string;
  form: string;
  form_version: number;
  preview: string;
  preconditions: string;
  definition_hash: string;
  policy_version: number;
  level: ExecutionFacts["level"];
  four_eyes: boolean;
  call_id: string;
  requester_id: string;
  allowed_by_policy: boolean;
  lapsed: boolean;
  requester_may: boolean;
  decider_may: boolean;
  source_connected: boolean;
  requester_role: string | null;
  requester_global: boolean;
  team_id: string;
  risk_class: string;
  writes_stopped: boolean;
  write_policy: ExecutionFacts["writePolicy"];
  chat_mode: ExecutionFacts["chatMode"];
  labels: SourceLabels | null;
  combined: boolean;
  agent_settings: unknown;
}

const read = async (
  tx: Tx,
  workspaceId: string,
  runId: string,
  approvalId: string,
  vault: Opener,
): Promise<ExecutionFacts | null> => {
  // Locks first, facts after: what is read then cannot change before the commit of those who lock in the same order.
  const [locked] =
    await tx`select 1 from approvals where id = ${approvalId} and run_id = ${runId} and status = 'approved' for update`;
  return locked === undefined ? null : factsOf(tx, workspaceId, approvalId, vault);
};

/** Everything about a request as it is stored now, in a transaction bound to its workspace; null: there is none. */
export const factsOf = async (
  tx: Tx,
  workspaceId: string,
  approvalId: string,
  vault: Opener,
): Promise<ExecutionFacts | null> => {
  const [stored] = await tx<Row[]>`
    select a.*, coalesce(a.execute_before <= aiw_now(), false) as lapsed,
      exists (select from memberships m join users u on u.id = m.user_id where m.workspace_id = a.workspace_id and m.user_id = a.requester_id
                and u.disabled_at is null) as requester_may,
      case when a.allowed_by_policy then true
           when a.level = 'global_approver' then exists (select from users u where u.id = a.decided_by and u.is_global_approver and u.disabled_at is null)
           else exists (select from memberships m join users u on u.id = m.user_id where m.workspace_id = a.workspace_id and m.user_id = a.decided_by
                          and m.role in ('admin', 'approver') and u.disabled_at is null) end as decider_may,
      a.source_id is null or exists (select from connected_sources s where s.id = a.source_id) as source_connected,
      (select m.role from memberships m where m.workspace_id = a.workspace_id and m.user_id = a.requester_id) as requester_role,
      exists (select from users u where u.id = a.requester_id and u.is_global_approver) as requester_global,
      w.team_id, w.writes_stopped_at is not null or p.writes_stopped_at is not null as writes_stopped,
      coalesce(p.forced_write_policy, w.write_policy) as write_policy, coalesce(c.mode, 'work') as chat_mode,
      (select s.labels from connected_sources s where s.id = a.source_id) as labels, workspace_combined_v1(a.workspace_id) as combined,
      (select v.settings from runs r join agent_versions v on v.id = r.agent_version_id where r.id = a.run_id) as agent_settings
      from approvals a join workspaces w on w.id = a.workspace_id cross join platform_settings p left join chats c on c.id = a.chat_id
      where a.id = ${approvalId}`;
  if (stored === undefined) return null;
  const a = await whole(stored, vault);
  const [tool] = await tx<LoadedTool[]>`
    select t.id, t.wire_name as "wireName", t.source_kind as "sourceKind", t.definition_hash as "definitionHash", t.risk_class as "riskClass",
           t.decision, t.level, t.four_eyes as "fourEyes", coalesce(x.active, t.default_active) and t.missing_at is null as active
      from tools t left join workspace_tools x on x.tool_id = t.id and x.workspace_id = ${workspaceId} where t.id = ${a.tool_id}`;
  const policies = await tx<LoadedPolicy[]>`
    select id, level, source_id as "sourceId", pattern, decision, approval_level as "approvalLevel", four_eyes as "fourEyes", label, version, condition
      from tool_policies where workspace_id is null or workspace_id = ${workspaceId}`;
  return {
    id: a.id,
    toolId: a.tool_id,
    toolCallId: a.tool_call_id,
    runId: a.run_id,
    sourceId: a.source_id,
    snapshot: a.snapshot,
    snapshotHash: a.snapshot_hash,
    argsText: a.args_text,
    form: a.form,
    formVersion: a.form_version,
    preview: a.preview,
    preconditions: a.preconditions,
    definitionHash: a.definition_hash,
    policyVersion: a.policy_version,
    level: a.level,
    fourEyes: a.four_eyes,
    callId: a.call_id,
    requesterId: a.requester_id,
    allowedByPolicy: a.allowed_by_policy,
    lapsed: a.lapsed,
    snapshotIntact: sha256Hex(a.snapshot) === a.snapshot_hash,
    requesterMay: a.requester_may,
    deciderMay: a.decider_may,
    sourceConnected: a.source_connected,
    requester: { role: a.requester_role ?? "", isGlobalApprover: a.requester_global },
    teamId: a.team_id,
    stopped: a.writes_stopped && [a.risk_class, tool?.riskClass].some(isExternalWrite),
    writePolicy: a.write_policy,
    chatMode: a.chat_mode,
    labels: a.labels ?? NO_LABELS,
    combined: a.combined,
    tool: tool ?? null,
    policies: [...policies, ...rulesOf(readSettings(a.agent_settings))],
  };
};

/** The row with its sealed texts opened (APR-10): what is judged and executed are the bytes that were frozen. */
const whole = async (row: Row, vault: Opener): Promise<Row> => {
  const part = (text: string, name: RequestPart): Promise<string> => opened(vault, text, partContext(row.id, name));
  return {
    ...row,
    args_text: await part(row.args_text, "args"),
    form: await part(row.form, "form"),
    preview: await part(row.preview, "preview"),
    preconditions: await part(row.preconditions, "preconditions"),
    snapshot: await part(row.snapshot, "snapshot"),
  };
};

/** A tool that can carry data out: an external write at a server (POL-11). A proposal for a repository stays in that repository. */
export const isOutward = (tool: Pick<LoadedTool, "sourceKind" | "riskClass">): boolean =>
  tool.sourceKind.startsWith("mcp:") && isExternalWrite(tool.riskClass);

const isExternalWrite = (riskClass: string | null | undefined): boolean =>
  riskClass === "write_external" || riskClass === "destructive";

/** The frozen request as stored, for looking at the target before or after an execution. */
export const frozen = async (
  db: Ctx<Agent>["db"],
  workspaceId: string,
  approvalId: string,
  vault: Opener,
): Promise<ExecutionFacts> =>
  transaction(db, { workspaces: [workspaceId] }, async (tx) => {
    const facts = await factsOf(tx, workspaceId, approvalId, vault);
    if (facts === null) throw new Error("the request is gone");
    return facts;
  });
