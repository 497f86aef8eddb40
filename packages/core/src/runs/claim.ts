import type { Database } from "@aiw/platform/db";
import type { RunLane } from "@aiw/contract/runs";
import type { JsonObject } from "@aiw/contract/tools";
import { decodeLoad, type LoadRow } from "./load.ts";
import type { ClaimedRun, LoadedRun } from "./run.ts";

/** At most this many items of a chat are looked at; the token budget cuts further (AI-1). */
export const MAX_ITEMS = 2000;

interface RunRow {
  id: string;
  workspace_id: string;
  team_id: string;
  chat_id: string | null;
  lane: RunLane;
  tools: string[] | null;
  model_call_limit: number | null;
  started_by: string;
  fence: number;
  step: number;
  attempts: number;
  tool_rounds: number;
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
  work_ms: number;
  cancel_requested_at: string | null;
  pins: Record<string, JsonObject>;
  kind: "model" | "tools";
  displaced: Displaced | null;
}

/** A run that let another team's go first; its message is used up, so it is to be rung again (RUN-19). */
export interface Displaced {
  readonly runId: string;
  readonly teamId: string;
}

export type Claim =
  | {
      readonly outcome: "claimed";
      readonly run: ClaimedRun;
      readonly displaced: Displaced | null;
      /** What the step has to know, read in the same round trip; decoded when asked for. */
      readonly load: () => LoadedRun;
    }
  /** none: nothing to do, drop the message. parked: the team has no free slot, it is rung when one frees (RUN-10). */
  | { readonly outcome: "none" | "parked" };

/**
 * Takes the run that a message leads to for `leaseS` seconds, raising its fence (RUN-3, RUN-4). That is the named one, or the
 * one whose turn it is when the named one's team has no free slot or a less loaded team waits (RUN-19). One round trip brings
 * the claim and everything the step has to know.
 */
export const claim = async (db: Database, runId: string, leaseS: number): Promise<Claim> => {
  return claimOf(
    await db.sql<LoadRow[]>`
      select kind, key, data from run_take_v1(${runId}::uuid, ${Math.ceil(leaseS)}, ${MAX_ITEMS})`,
  );
};

/** What `run_take_v1` said. */
export const claimOf = ([first, ...rows]: readonly LoadRow[]): Claim => {
  if (first?.key !== "claimed" || first.data === null) return { outcome: first?.key === "parked" ? "parked" : "none" };
  const r = JSON.parse(first.data) as RunRow;
  return {
    outcome: "claimed",
    displaced: r.displaced,
    load: () => decodeLoad(rows),
    run: {
      id: r.id,
      workspaceId: r.workspace_id,
      teamId: r.team_id,
      chatId: r.chat_id,
      lane: r.lane,
      tools: r.tools,
      modelCallLimit: r.model_call_limit,
      startedBy: r.started_by,
      fence: r.fence,
      step: r.step,
      attempt: r.attempts,
      toolRounds: r.tool_rounds,
      modelCalls: r.model_calls,
      inputTokens: r.input_tokens,
      outputTokens: r.output_tokens,
      cost: r.cost,
      workMs: r.work_ms,
      cancelRequested: r.cancel_requested_at !== null,
      pins: r.pins,
      kind: r.kind,
    },
  };
};
