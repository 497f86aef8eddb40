import type { Database } from "@aiw/platform/db";
import type { RunStatus } from "@aiw/contract/runs";
import { claimOf, MAX_ITEMS, type Claim } from "./claim.ts";
import type { LoadRow } from "./load.ts";
import {
  LeaseLost,
  type CallUpdate,
  type ClaimedRun,
  type Committed,
  type NewAudit,
  type NewEvent,
  type StepOutcome,
} from "./run.ts";

/**
 * Writes the outcome of a step in one transaction under its fence (RUN-3, RUN-4). `lastAttempt`: a write that is still in
 * flight is left to a person instead of to another attempt. Throws LeaseLost when the run is not ours any more.
 */
export const commit = async (
  db: Database,
  run: ClaimedRun,
  outcome: StepOutcome,
  lastAttempt = false,
): Promise<Committed> => {
  const [row] = await db.sql<{ done: boolean; status: RunStatus; last_seq: number; ring: string[] }[]>`
    select done, status, last_seq, ring
      from run_commit_v1(${run.id}::uuid, ${run.workspaceId}::uuid, ${run.fence}, ${db.sql.json(storable({ ...said(outcome), lastAttempt }))})`;
  if (row === undefined || !row.done) throw new LeaseLost();
  return { status: row.status, lastSeq: row.last_seq, ring: row.ring };
};

/**
 * The same, and in the same transaction and round trip the claim of the next step when the run goes on at once (RUN-3).
 * `next`: what that claim led to, as of `claim`; null when the run does not go on now. Throws LeaseLost as `commit` does.
 */
export const goOn = async (
  db: Database,
  run: ClaimedRun,
  outcome: StepOutcome,
  lastAttempt: boolean,
  leaseS: number,
): Promise<Committed & { readonly next: Claim | null }> => {
  const [first, ...taken] = await db.sql<LoadRow[]>`
    select kind, key, data
      from run_go_on_v1(${run.id}::uuid, ${run.workspaceId}::uuid, ${run.fence}, ${db.sql.json(storable({ ...said(outcome), lastAttempt }))},
        ${Math.ceil(leaseS)}, ${MAX_ITEMS})`;
  const { done, lastSeq, ring } = JSON.parse(first?.data ?? "{}") as {
    done?: boolean;
    lastSeq: number;
    ring: string[];
  };
  if (done !== true) throw new LeaseLost();
  return { status: first?.key as RunStatus, lastSeq, ring, next: taken.length === 0 ? null : claimOf(taken) };
};

/** Without the lists that are empty: what is not named costs the database no statement. */
const said = (outcome: StepOutcome): object =>
  Object.fromEntries(Object.entries(outcome).filter(([, value]) => !Array.isArray(value) || value.length > 0));

/** Keeps one result of a turn with several calls as soon as it is there, with its event and audit row (F8). */
export const finishCall = async (
  db: Database,
  run: ClaimedRun,
  leaseS: number,
  call: { readonly update: CallUpdate; readonly event: NewEvent; readonly audit: NewAudit },
): Promise<void> => {
  const [row] = await db.sql<{ alive: boolean }[]>`
    select call_finish_v1(${run.id}::uuid, ${run.workspaceId}::uuid, ${run.fence}, ${Math.ceil(leaseS)}, ${db.sql.json(storable(call))}) as alive`;
  if (row?.alive !== true) throw new LeaseLost();
};

/**
 * Text as Postgres can hold it: NUL and lone surrogates become U+FFFD, so that what a model or a tool says can never
 * make a step fail for ever (F10).
 */
export const storableText = (text: string): string => text.replaceAll("\u0000", "\uFFFD").toWellFormed();

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The same for every text inside a value; what is no JSON becomes null. */
export const storable = (value: unknown): Json => {
  if (typeof value === "string") return storableText(value);
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object") return null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => [storableText(k), storable(v)]),
  );
};
