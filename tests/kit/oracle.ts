import { RUN_TRANSITIONS, type RunStatus } from "@aiw/contract/runs";
import {
  aiRefs,
  auditOf,
  branchOf,
  callsOf,
  eventsOf,
  itemsOf,
  requestsOf,
  type Request,
  type Watched,
} from "./rows.ts";
import type { LedgerEntry } from "./ledger/server.ts";

const FINAL: readonly string[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];

/**
 * The invariants I1..I5, I7..I10 for finished runs (spec 70 section 1), as a list of what is wrong: what the targets count
 * against what the rows say, and what was told against what is stored. I6 is the caller's, who knows which writer was old.
 */
export const violations = async (world: Watched, runIds: readonly string[]): Promise<string[]> => {
  const wrong: string[] = [];
  const refs = aiRefs(world);
  for (const runId of runIds) {
    const say = (text: string): void => void wrong.push(`${runId}: ${text}`);
    const row = await world.row(runId);
    if (!FINAL.includes(row.status)) say(`I3 not at an end but ${row.status}`);
    await checkWrites(world, runId, refs, say);
    await checkEvents(world, runId, row.status, row.last_seq, say);
    await checkItems(world, runId, say);
    await checkAudit(world, runId, say);
    await checkAnswer(world, runId, row.status, say);
    await checkScope(world, runId, say);
    await checkSecrets(world, runId, say);
  }
  return wrong;
};

type Say = (text: string) => void;

const checkWrites = async (
  world: Watched,
  runId: string,
  refs: ReadonlyMap<string, string>,
  say: Say,
): Promise<void> => {
  for (const request of await requestsOf(world, runId)) {
    if (["pending", "approved", "executing", "unknown"].includes(request.status))
      say(`I3 a request is left ${request.status}`);
    if (isCall(request.form)) checkEffects(world, request, say);
    else checkBranch(request, refs, say);
    if (request.status === "executed" && request.executed_hash !== request.snapshot_hash)
      say("I2 executed is not what was approved");
    if (request.status === "executed" && request.decided_by === null && !request.allowed_by_policy)
      say("I2 executed without a decision");
    const votes = await world.admin.sql`select user_id from approval_votes where approval_id = ${request.id}`;
    if (votes.length > 1) say("I7 more than one decision");
    const late = await world.admin.sql`
      select 1 from approvals where id = ${request.id} and (decided_at > expires_at or decided_at > executing_at or executing_at > execute_before)`;
    if (late.length > 0 && !request.allowed_by_policy) say("I2 decided or executed after its time");
  }
};

/** A person who said "end the run" does not claim that nothing happened. */
const MAY_HAVE_ACTED: readonly string[] = ["executed", "failed"];

const checkBranch = (request: Request, refs: ReadonlyMap<string, string>, say: Say): void => {
  const { branch, commit } = branchOf(request);
  const there = refs.get(branch);
  if (request.status === "executed" && there !== commit)
    say("I1 executed, but the server does not have exactly the approved commit");
  if (!MAY_HAVE_ACTED.includes(request.status) && there !== undefined)
    say(`I1 ${request.status}, but the server has the branch`);
};

interface CallForm {
  readonly tool: string;
  readonly arguments: string;
  readonly idempotencyArgument: string | null;
}

const isCall = (form: string): boolean => Object.hasOwn(JSON.parse(form) as object, "idempotencyArgument");

/** What must arrive: the frozen bytes, and the key of the request behind them where the tool takes one. */
const bytesOf = (request: Request): string => {
  const form = JSON.parse(request.form) as CallForm;
  if (form.idempotencyArgument === null) return form.arguments;
  return `${form.arguments.slice(0, -1)},${JSON.stringify(form.idempotencyArgument)}:"aiw_${request.id}"}`;
};

const textOf = (argumentBytes: string): unknown => (JSON.parse(argumentBytes) as { text?: unknown }).text;

/** The entries of a request: by its key where the tool takes one, otherwise by the text, which each call of a test has of its own. */
const isOf = (request: Request, form: CallForm, entry: LedgerEntry): boolean => {
  if (entry.tool !== form.tool) return false;
  if (form.idempotencyArgument !== null) return entry.key === `aiw_${request.id}`;
  return textOf(entry.argumentBytes) === textOf(form.arguments);
};

/** I1, I2 at the ledger. */
const checkEffects = (world: Watched, request: Request, say: Say): void => {
  if (world.ledger === undefined) return;
  const form = JSON.parse(request.form) as CallForm;
  const arrived = world.ledger.entries.filter((entry) => isOf(request, form, entry));
  const effects = arrived.filter((entry) => entry.effect).length;
  if (effects > 1) say(`I1 ${form.tool}: ${effects} effects of one request`);
  if (request.status === "executed" && effects !== 1) say(`I1 ${form.tool}: executed, but ${effects} effects`);
  if (!MAY_HAVE_ACTED.includes(request.status) && effects > 0) say(`I1 ${form.tool}: ${request.status}, but it acted`);
  if (arrived.some((entry) => entry.argumentBytes !== bytesOf(request)))
    say(`I2 ${form.tool}: what arrived is not what was frozen`);
};

/** Effects at the ledger that no request of these runs stands for (I2): a write nobody was asked about. */
export const strayEffects = async (world: Watched, runIds: readonly string[]): Promise<string[]> => {
  const all = (await Promise.all(runIds.map((runId) => requestsOf(world, runId)))).flat();
  const known = all
    .filter(({ form }) => isCall(form))
    .map((request) => ({ request, form: JSON.parse(request.form) as CallForm }));
  return (world.ledger?.entries ?? []).flatMap((entry) =>
    entry.effect && !known.some(({ request, form }) => isOf(request, form, entry))
      ? [`I2 a write without a request: ${entry.tool}`]
      : [],
  );
};

/** I9: everything of a run lies in the workspace of the run. */
const checkScope = async (world: Watched, runId: string, say: Say): Promise<void> => {
  const [found] = await world.admin.sql<{ n: number }[]>`
    select count(distinct workspace_id)::integer as n from (
      select workspace_id from runs where id = ${runId} union all select workspace_id from run_events where run_id = ${runId}
      union all select workspace_id from run_items where run_id = ${runId} union all select workspace_id from tool_calls where run_id = ${runId}
      union all select workspace_id from approvals where run_id = ${runId} union all select workspace_id from audit_events where run_id = ${runId}) all_of_it`;
  if (found?.n !== 1) say(`I9 rows of ${found?.n ?? 0} workspaces`);
};

/** I8: no secret of the world in anything a run leaves behind. */
const checkSecrets = async (world: Watched, runId: string, say: Say): Promise<void> => {
  for (const canary of world.canaries ?? []) {
    const found = await world.admin.sql`
      select 1 from run_events e where e.run_id = ${runId} and position(${canary} in e.data) > 0
      union all select 1 from run_items i where i.run_id = ${runId} and position(${canary} in i.data::text) > 0
      union all select 1 from audit_events a where a.run_id = ${runId} and position(${canary} in a.data::text) > 0
      union all select 1 from tool_calls c where c.run_id = ${runId} and position(${canary} in c::text) > 0
      union all select 1 from approvals a where a.run_id = ${runId} and position(${canary} in a::text) > 0
      union all select 1 from messages m where m.run_id = ${runId} and position(${canary} in m.text) > 0 limit 1`;
    if (found.length > 0) say("I8 a secret is stored in the open");
  }
};

/** Everything that is stored of a run, as one text: what an old writer must not change (I6). */
export const fingerprint = async (world: Watched, runId: string): Promise<string> => {
  const [row] = await world.admin.sql<{ text: string }[]>`
    select md5(concat_ws(chr(10), (select r::text from runs r where r.id = ${runId}),
      (select string_agg(e::text, chr(10) order by e.seq) from run_events e where e.run_id = ${runId}),
      (select string_agg(i::text, chr(10) order by i.item) from run_items i where i.run_id = ${runId}),
      (select string_agg(c::text, chr(10) order by c.id) from tool_calls c where c.run_id = ${runId}),
      (select string_agg(a::text, chr(10) order by a.id) from approvals a where a.run_id = ${runId}),
      (select string_agg(u::text, chr(10) order by u.id) from audit_events u where u.run_id = ${runId}),
      (select string_agg(m::text, chr(10) order by m.id) from messages m where m.run_id = ${runId}))) as text`;
  return row?.text ?? "";
};

const checkEvents = async (world: Watched, runId: string, status: string, lastSeq: number, say: Say): Promise<void> => {
  const events = await eventsOf(world, runId);
  if (events.some((e, index) => e.seq !== index + 1) || events.length !== lastSeq) say("I4 the events are not 1..n");
  const states = events.filter((e) => e.type === "run.status").map((e) => e.data["status"] as RunStatus);
  if (states.at(-1) !== status) say(`I4 the last state told is ${states.at(-1) ?? "none"}, the run is ${status}`);
  for (const [index, to] of states.entries()) {
    const from = states[index - 1];
    if (from !== undefined && !RUN_TRANSITIONS[from].includes(to) && !viaQueue(from, to))
      say(`I5 told ${from} -> ${to}`);
  }
  const finished = events.filter((e) => e.type === "tool.finished").map((e) => String(e.data["toolCallId"]));
  const calls = await callsOf(world, runId);
  for (const call of calls) {
    const times = finished.filter((id) => id === call.id).length;
    if (times !== 1) say(`I4 the end of call ${call.wire_name} was told ${times} times`);
  }
};

/** The hand-over between two steps (running -> queued -> running) is not told; what follows it may be told from "running". */
const viaQueue = (from: RunStatus, to: RunStatus): boolean =>
  RUN_TRANSITIONS[from].includes("queued") && (to === "queued" || RUN_TRANSITIONS.queued.includes(to));

const checkItems = async (world: Watched, runId: string, say: Say): Promise<void> => {
  const items = await itemsOf(world, runId);
  const calls = items.filter((i) => i.kind === "function_call").map((i) => i.call_id);
  const outputs = items.filter((i) => i.kind === "function_call_output").map((i) => i.call_id);
  if (JSON.stringify(calls) !== JSON.stringify(outputs))
    say(`I10 calls ${JSON.stringify(calls)}, outputs ${JSON.stringify(outputs)}`);
};

const checkAudit = async (world: Watched, runId: string, say: Say): Promise<void> => {
  const audit = await auditOf(world, runId);
  const told = (await eventsOf(world, runId)).filter((e) => e.type === "run.status").length;
  const rows = audit.filter((e) =>
    /^run\.(started|resumed|running|waiting_approval|waiting_input|needs_reconciliation|completed|failed|cancelled|blocked_by_guardrail)$/.test(
      e,
    ),
  ).length;
  // The first "queued" is the message itself.
  if (rows !== told - 1) say(`I5 ${told - 1} changes of state told, ${rows} audited`);
  for (const request of await requestsOf(world, runId)) {
    const about = await world.admin.sql<
      { event: string }[]
    >`select event from audit_events where object_kind = 'approval' and object_id = ${request.id} order by id`;
    const names = about.map((a) => a.event);
    const ends = names.filter((n) =>
      [
        "approval.executed",
        "approval.rejected",
        "approval.expired",
        "approval.cancelled",
        "approval.invalid",
        "approval.tampered",
        "approval.failed",
      ].includes(n),
    );
    const reconciled = names.includes("run.reconciled");
    if (ends.length !== 1 && !reconciled)
      say(`I5 the end ${request.status} of a request is audited ${ends.length} times: ${names.join(" ")}`);
  }
};

const checkAnswer = async (world: Watched, runId: string, status: string, say: Say): Promise<void> => {
  const messages = await world.admin.sql<
    { text: string }[]
  >`select text from messages where run_id = ${runId} and role = 'assistant'`;
  const events = await eventsOf(world, runId);
  const final = events.filter(
    (e) => e.type === "message.completed" && e.data["final"] === true && e.data["withheld"] !== true,
  );
  const [run] = await world.admin.sql<{ lane: string }[]>`select lane from runs where id = ${runId}`;
  // A run for one staged call, or for another run, answers in no chat (APR-8, RUN-18).
  const answers = run?.lane === "chat" ? 1 : 0;
  if (status === "completed" && messages.length !== answers) say(`RUN-2 ${messages.length} answers`);
  if (messages[0] !== undefined && final.at(-1)?.data["text"] !== messages[0].text)
    say("I4 the answer told is not the answer stored");
  if (messages[0] !== undefined && final.length !== 1) say(`I4 the answer was told ${final.length} times`);
  const step = final[0]?.data["step"];
  const streamed = events.reduce((text, e) => {
    if (e.data["step"] !== step) return text;
    if (e.type === "attempt.reset") return "";
    return e.type === "message.delta" ? text + String(e.data["text"]) : text;
  }, "");
  if (final[0] !== undefined && streamed !== "" && streamed.trim() !== final[0].data["text"])
    say("I4 what was streamed is not the answer");
};
