import { randomUUID } from "node:crypto";
import { RUN_TRANSITIONS, type RequestStatus, type RunStatus } from "@aiw/contract/runs";
import * as approvals from "@aiw/core/approvals";
import { sweep, type SweepReport } from "@aiw/engine/sweep";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { runGit } from "@aiw/infra/local/git-command";
import type { Role, World } from "./world.ts";

export interface Call {
  readonly name: string;
  readonly arguments: string | Readonly<Record<string, unknown>>;
  readonly callId?: string;
}

/** A proposal of one replacement; in the discount rule unless it says otherwise. */
export const propose = (replace = "total >= 100", find = "total > 100", path = "src/discount.ts"): Call => ({
  name: "propose_change",
  arguments: {
    title: `Change ${path}`,
    description: "Why: as agreed.",
    files: [{ path, replacements: [{ find, replace }] }],
  },
});
export const readFile = (path: string): Call => ({ name: "git_read_file", arguments: { path } });

/** As much of a world as looking takes; a whole stack has it as well. */
export type Watched = Pick<World, "admin" | "repository" | "row">;

/** A word no other conversation has, so that the scripted model knows which one it is in. */
export const topic = (): string => `topic-${randomUUID()}`;

export interface Request {
  readonly id: string;
  readonly status: RequestStatus;
  readonly invalid_reason: string | null;
  readonly snapshot_hash: string;
  readonly executed_hash: string | null;
  readonly args_text: string;
  readonly form: string;
  readonly reconciled: boolean;
  readonly allowed_by_policy: boolean;
  readonly decided_by: string | null;
  readonly call_id: string;
  readonly attempt: number;
  readonly result: string | null;
}

/** Requests of a run in the order of their calls. */
export const requestsOf = async (world: Watched, runId: string): Promise<Request[]> => [
  ...(await world.admin.sql<Request[]>`
    select a.id, a.status, a.invalid_reason, a.snapshot_hash, a.executed_hash, a.args_text, a.form, a.reconciled, a.allowed_by_policy, a.decided_by,
           a.call_id, a.attempt, a.result
      from approvals a join tool_calls c on c.id = a.tool_call_id where a.run_id = ${runId} order by c.step, c.position, a.id`),
];

export const onlyRequest = async (world: Watched, runId: string): Promise<Request> => {
  const [first, second] = await requestsOf(world, runId);
  if (first === undefined || second !== undefined) throw new Error("the run does not have exactly one request");
  return first;
};

export interface CallRow {
  readonly id: string;
  readonly call_id: string;
  readonly wire_name: string;
  readonly status: string;
  readonly result: string | null;
  readonly decision: string | null;
  readonly args_text: string;
}

export const callsOf = async (world: Watched, runId: string): Promise<CallRow[]> => [
  ...(await world.admin.sql<
    CallRow[]
  >`select id, call_id, wire_name, status, result, decision, args_text from tool_calls where run_id = ${runId} order by step, position`),
];

export interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const eventsOf = async (world: Watched, runId: string): Promise<EventRow[]> => {
  const rows = await world.admin.sql<
    { seq: number; type: string; data: string }[]
  >`select seq, type, data from run_events where run_id = ${runId} order by seq`;
  return rows.map((r) => ({ seq: r.seq, type: r.type, data: JSON.parse(r.data) as Record<string, unknown> }));
};

export const auditOf = async (world: Watched, runId: string): Promise<string[]> => {
  const rows = await world.admin.sql<
    { event: string }[]
  >`select event from audit_events where run_id = ${runId} order by id`;
  return rows.map((r) => r.event);
};

export interface ItemRow {
  readonly kind: string;
  readonly call_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export const itemsOf = async (world: Watched, runId: string): Promise<ItemRow[]> => {
  const rows = await world.admin.sql<
    { kind: string; call_id: string | null; data: string }[]
  >`select kind, call_id, data from run_items where run_id = ${runId} order by item`;
  return rows.map((r) => ({ kind: r.kind, call_id: r.call_id, data: JSON.parse(r.data) as Record<string, unknown> }));
};

/** What the model reads as results, in the order it reads them. */
export const outputsOf = async (world: Watched, runId: string): Promise<string[]> =>
  (await itemsOf(world, runId)).flatMap((i) => (i.kind === "function_call_output" ? [String(i.data["output"])] : []));

interface DecideOptions {
  readonly reason?: string;
  readonly seenHash?: string | null;
  readonly endRun?: boolean;
}

/** One decision by the one service every channel uses. */
export const decide = (
  world: World,
  role: Role,
  request: Pick<Request, "id" | "snapshot_hash">,
  vote: "approved" | "rejected",
  options: DecideOptions = {},
) =>
  approvals.decide(
    world.as(role),
    role === "global" || role === "outsider" || role === "admin" ? [] : [world.workspaceId],
    {
      approvalId: request.id,
      vote,
      reason: options.reason ?? (vote === "rejected" ? "not now" : null),
      seenHash: options.seenHash === undefined ? request.snapshot_hash : options.seenHash,
      channel: "page",
      ...(options.endRun === undefined ? {} : { endRun: options.endRun }),
    },
    900,
  );

export const sweepOnce = (world: World): Promise<SweepReport> =>
  sweep({
    db: world.deps.db,
    log: world.deps.log,
    notify: world.deps.notify,
    ring: world.deps.ring,
    stepAttempts: world.deps.limits.stepAttempts,
    doorbellGraceS: 15,
  });

/** Branches of proposals at the Git server, with their commits. */
export const aiRefs = (world: Watched): Map<string, string> =>
  new Map(
    runGit(["-C", world.repository.directory, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/ai"])
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line): [string, string] => {
        const [name = "", commit = ""] = line.split(" ");
        return [name, commit];
      }),
  );

export const branchOf = (request: Pick<Request, "form">): { readonly branch: string; readonly commit: string } =>
  JSON.parse(request.form) as { branch: string; commit: string };

export const isPushed = (world: Watched, request: Pick<Request, "form">): boolean => {
  const { branch, commit } = branchOf(request);
  return aiRefs(world).get(branch) === commit;
};

/**
 * Starts work and stops it for ever at a point, as a process that is gone: nothing of it runs on. False: it never came there.
 */
export const stopAt = async (at: string, nth: number, work: () => Promise<unknown>): Promise<boolean> => {
  let count = 0;
  let unlisten = (): void => undefined;
  const reached = new Promise<true>((resolve) => {
    unlisten = onPoint((point) => {
      if (point === at && (count += 1) === nth) resolve(true);
    });
  });
  setFaultPlan({ rules: [{ at, nth, act: "hang" }] });
  const ended = work().then(
    () => false as const,
    () => false as const,
  );
  const stopped = await Promise.race([reached, ended]);
  unlisten();
  // The one that hangs has read its rule by now; whoever comes later runs without it.
  await Promise.resolve();
  setFaultPlan(undefined);
  return stopped;
};

/** A value once it is there; fails after `ms`. For what another process or connection has to do first. */
export const eventually = async <T>(look: () => Promise<T | undefined>, ms = 5000): Promise<T> => {
  const end = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error("it did not happen in time");
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const FINAL: readonly string[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];

/** The invariants I1..I7 and I10 for finished runs (spec 70 section 1), as a list of what is wrong. */
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
    const { branch, commit } = branchOf(request);
    const there = refs.get(branch);
    if (["pending", "approved", "executing", "unknown"].includes(request.status))
      say(`I3 a request is left ${request.status}`);
    if (request.status === "executed" && there !== commit)
      say("I1 executed, but the server does not have exactly the approved commit");
    // A person who said "end the run" does not claim that nothing happened.
    if (!["executed", "failed"].includes(request.status) && there !== undefined)
      say(`I1 ${request.status}, but the server has the branch`);
    if (request.status === "executed" && request.executed_hash !== request.snapshot_hash)
      say("I2 executed is not what was approved");
    if (request.status === "executed" && request.decided_by === null && !request.allowed_by_policy)
      say("I2 executed without a decision");
    const votes = await world.admin.sql`select user_id from approval_votes where approval_id = ${request.id}`;
    if (votes.length > 1) say("I7 more than one decision");
  }
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
  if (status === "completed" && messages.length !== 1) say(`RUN-2 ${messages.length} answers`);
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
