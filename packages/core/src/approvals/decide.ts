import { Problem, type ProblemCode } from "@aiw/contract/problem";
import type { Human } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import type { InvalidReason } from "@aiw/contract/runs";
import { transaction, type Tx } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";
import { saysSomething } from "@aiw/contract/text";
import { hidingOf } from "./hide.ts";
import { responseContext } from "./sealed.ts";
import { standing } from "./standing.ts";
import type { Vault } from "@aiw/platform/vault";

export interface Decision {
  readonly approvalId: string;
  readonly vote: "approved" | "rejected";
  readonly reason: string | null;
  /** The snapshot hash the person was shown; only API keys may leave it out (APR-13). */
  readonly seenHash: string | null;
  readonly endRun?: boolean;
  readonly channel: "page" | "api" | "link" | "cli" | "chat";
  /** The text an input request asks for (APR-9); kept exactly. */
  readonly response?: string | undefined;
  /** The workspace the caller named in the path, where it did: another one is not_found (N2). */
  readonly workspaceId?: string;
}

export interface Decided {
  readonly runId: string;
  readonly workspaceId: string;
  readonly teamId: string;
  /** The run waited and is queued now: ring it after the commit. */
  readonly ring: boolean;
}

interface Row {
  outcome: string;
  run_id: string | null;
  workspace_id: string | null;
  team_id: string | null;
  decided_by: string | null;
  decided_at: Date | null;
  ring: boolean;
}

/** Longest reason, in characters (N37). */
const MAX_REASON = 2000;

/**
 * APR-4, APR-5, APR-6: one decision, in one transaction, whatever the channel. Repeating one's own decision is no error.
 * Throws decided | expired | stale | cancelled | invalid (409, with who and when), approver_missing | four_eyes (403),
 * reason_required (400), not_found. An approval of what can no longer be executed ends the request: `Overtaken`, an invalid.
 */
export const decide = async (
  ctx: Ctx<Human>,
  scope: readonly string[],
  decision: Decision,
  executeWithinS: number,
  vault: Pick<Vault, "seal" | "open">,
): Promise<Decided> => {
  const said = decision.reason?.trim() ?? "";
  if (decision.vote === "rejected" && !saysSomething(said))
    throw new Problem("reason_required", { fields: { reason: "required" } });
  if (said.length > MAX_REASON) throw new Problem("bad_request", { fields: { reason: "too_long" } });
  if (decision.response !== undefined && !saysSomething(decision.response))
    throw new Problem("response_required", { fields: { response: "blank" } });
  const sealed = await fp("decide.seal", () => seal(decision, vault));
  const row = await fp("decide.tx", () =>
    transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
      const { key } = ctx.actor;
      for (const workspaceId of [decision.workspaceId, key?.workspaceId]) {
        if (workspaceId === undefined) continue;
        const [match] =
          await tx`select 1 from approvals where id = ${decision.approvalId} and workspace_id = ${workspaceId}`;
        if (match === undefined) throw new Problem("not_found");
      }
      if (key !== undefined) await tx`select set_config('aiw.api_key', ${key.id}, true)`;
      const reason = said === "" ? null : await withoutAnswers(tx, decision, said, vault);
      const against = decision.vote === "approved" ? await knownAgainst(tx, decision.approvalId, vault) : null;
      const [found] = await tx<Row[]>`
        select * from approval_decide_v1(${decision.approvalId}::uuid, ${ctx.actor.userId}::uuid, ${decision.channel}, ${decision.vote},
          ${reason}, ${decision.seenHash}, ${decision.endRun ?? false}, ${executeWithinS}::integer,
          ${against}, ${sealed})`;
      return found;
    }),
  );
  if (row === undefined) throw new Problem("internal");
  if (["approved", "rejected", "same", "voted"].includes(row.outcome)) {
    return decided(row);
  }
  if (row.outcome === "overtaken") throw new Overtaken(decided(row));
  throw await fp("decide.refusal", () => refusal(ctx, row));
};

/** The request ended as `invalid` at this click; its run goes on. */
export class Overtaken extends Problem {
  readonly decided: Decided;
  constructor(of: Decided) {
    super("invalid");
    this.decided = of;
  }
}

const decided = (row: Row): Decided => ({
  runId: row.run_id ?? "",
  workspaceId: row.workspace_id ?? "",
  teamId: row.team_id ?? "",
  ring: row.ring,
});

/** APR-10: a reason keeps no sensitive answer, that of this very decision included. */
const withoutAnswers = async (
  tx: Tx,
  { approvalId, response }: Decision,
  reason: string,
  vault: Pick<Vault, "open">,
): Promise<string> => {
  const [found] = await tx<{ workspace_id: string; run_id: string; sensitive: boolean }[]>`
    select workspace_id, run_id, sensitive from approvals where id = ${approvalId}`;
  if (found === undefined) return reason;
  await tx`select set_config('aiw.workspaces', ${found.workspace_id}, true)`;
  const hide = await hidingOf(tx, vault, found.run_id, found.sensitive && response !== undefined ? [response] : []);
  return hide(reason);
};

/** Looked at under the locks of the decision, in their order: run, request. */
const knownAgainst = async (tx: Tx, approvalId: string, vault: Pick<Vault, "open">): Promise<InvalidReason | null> => {
  const [found] = await tx<{ workspace_id: string; run_id: string }[]>`
    select workspace_id, run_id from approvals where id = ${approvalId}`;
  if (found === undefined) return null;
  await tx`select set_config('aiw.workspaces', ${found.workspace_id}, true)`;
  await tx`select 1 from runs where id = ${found.run_id} for update`;
  // An input is answered, not executed: nothing about a tool can stand against it.
  const [open] =
    await tx`select 1 from approvals where id = ${approvalId} and status = 'pending' and response_label is null for update`;
  return open === undefined ? null : standing(tx, found.workspace_id, approvalId, vault);
};

/** APR-10: every response is encrypted before it reaches the database. */
const seal = async (decision: Decision, vault: Pick<Vault, "seal">): Promise<string | null> => {
  if (decision.response === undefined) return null;
  return vault.seal(decision.response, responseContext(decision.approvalId));
};

const REFUSALS: Readonly<Record<string, ProblemCode>> = {
  not_found: "not_found",
  approver_missing: "approver_missing",
  four_eyes: "four_eyes",
  decided: "decided",
  expired: "expired",
  stale: "stale",
  cancelled: "cancelled",
  invalid: "invalid",
  response_required: "response_required",
  response_not_expected: "response_not_expected",
};

const refusal = async (ctx: Ctx<Human>, row: Row): Promise<Problem> => {
  const code = REFUSALS[row.outcome] ?? "conflict";
  if (code === "response_required" || code === "response_not_expected")
    return new Problem(code, { fields: { response: code === "response_required" ? "required" : "not_expected" } });
  if (row.decided_by === null) return new Problem(code);
  const [by] = await fp(
    "decide.who",
    async () => ctx.db.sql<{ display_name: string }[]>`select display_name from users where id = ${row.decided_by}`,
  );
  return new Problem(code, { params: { by: by?.display_name ?? null, at: row.decided_at?.toISOString() ?? null } });
};
