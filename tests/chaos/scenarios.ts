import * as approvals from "@aiw/core/approvals";
import * as policies from "@aiw/core/policies";
import * as runs from "@aiw/core/runs";
import { propose, readFile, requestsOf, sweepOnce, decide, type Call, type Request } from "../kit/runs.ts";
import type { World } from "../kit/world.ts";

/** One conversation that is played: everything else about it is read from the rows, by whichever process goes on with it. */
export interface Episode {
  readonly scenario: string;
  readonly topic: string;
  readonly chatId: string;
}

/** A world and the address of its ledger, as another process has them too. */
export type Hands = Pick<
  World,
  "admin" | "deps" | "as" | "member" | "row" | "stepOnce" | "shift" | "rung" | "repository" | "workspaceId"
> & { readonly ledgerUrl: string };

/** What people do while a run waits. True: they did something; false: time passes. */
type Person = (hands: Hands, runId: string, requests: readonly Request[], episode: Episode) => Promise<boolean>;

export interface Scenario {
  readonly name: string;
  /** The calls of each turn of the model; then it answers. */
  readonly turns: (topic: string) => readonly (readonly Call[])[];
  readonly person: Person;
  /** Happens beside a step that carries something out. */
  readonly beside?: (hands: Hands, runId: string) => Promise<void>;
  /** A message carries the run as far as it goes at once, as an operator may set it. */
  readonly goesOn?: boolean;
  /** What people do when all runs of the chat have ended; true when they began something. */
  readonly after?: (hands: Hands, episode: Episode) => Promise<boolean>;
  /** Before the fault comes: where a first process was stopped for ever. */
  readonly stoppedAt?: string;
  /** "<state of the last run> <states of all requests>" without a fault, and with one. */
  readonly plain: RegExp;
  readonly faulty: RegExp;
}

export const ring = (hands: Hands, runIds: readonly string[]): void =>
  void hands.rung.push(...runIds.map((runId) => ({ runId, delayMs: undefined })));

const isOpen = (request: Request): boolean => request.status === "pending";

const vote = async (hands: Hands, request: Request | undefined, what: "approved" | "rejected"): Promise<boolean> => {
  if (request === undefined) return false;
  const decided = await decide(hands, "approver", request, what);
  if (decided.ring) ring(hands, [decided.runId]);
  return true;
};

const approve: Person = (hands, _run, requests) => vote(hands, requests.find(isOpen), "approved");
const approveLastFirst: Person = (hands, _run, requests) => vote(hands, requests.findLast(isOpen), "approved");
const reject: Person = (hands, _run, requests) => vote(hands, requests.find(isOpen), "rejected");

const letExpire: Person = async (hands, _run, requests) => {
  if (!requests.some(isOpen)) return false;
  await hands.shift(86_401);
  await sweepOnce(hands);
  return true;
};

export const cancelRun = async (hands: Hands, runId: string): Promise<void> =>
  ring(hands, (await runs.cancel(hands.as("member"), [hands.workspaceId], runId)).ring);

const cancel: Person = async (hands, runId) => {
  await cancelRun(hands, runId);
  return true;
};

/** An admin forbids the tool while the request waits; the approver says yes all the same. */
const forbidThenApprove: Person = async (hands, runId, requests, episode) => {
  const [known] = await hands.admin.sql`select 1 from tool_policies where label = ${episode.topic}`;
  if (known !== undefined) return approve(hands, runId, requests, episode);
  await policies.create(await hands.member("owner"), {
    pattern: "ledger.conflict",
    decision: "deny",
    condition: null,
    approvalLevel: null,
    fourEyes: false,
    label: episode.topic,
    sourceId: null,
  });
  return true;
};

/** Writes are stopped, the request is approved and held, and writes go on. */
const stopThenGoOn: Person = async (hands, runId, requests, episode) => {
  const owner = await hands.member("owner");
  const { workspace } = await policies.writeStop(owner);
  if (requests.some(isOpen)) {
    if (workspace !== null) return approve(hands, runId, requests, episode);
    await policies.setWriteStop(owner, true);
    return true;
  }
  if (workspace === null) return false;
  await policies.setWriteStop(owner, false);
  return true;
};

/** Somebody presses stop while the write is on its way. */
const cancelBeside = async (hands: Hands, runId: string): Promise<void> => {
  for (let look = 0; look < 40; look += 1) {
    const requests = await requestsOf(hands, runId);
    if (requests.some(({ status }) => status === "executing")) return cancelRun(hands, runId);
    if (requests.every(({ status }) => status !== "approved")) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const renew = async (hands: Hands, { chatId }: Episode): Promise<boolean> => {
  const [expired] = await hands.admin.sql<{ id: string }[]>`
    select id from approvals a where chat_id = ${chatId} and status = 'expired' and not exists (select from approvals b where b.predecessor_id = a.id)
       and (select count(*) from runs where chat_id = ${chatId}) = 1`;
  if (expired === undefined) return false;
  const { runId } = await approvals.requestAgain(hands.as("member"), [hands.workspaceId], expired.id);
  ring(hands, [runId]);
  return true;
};

/** Expires the first request and approves its successor. */
const expireThenApprove: Person = async (hands, runId, requests, episode) => {
  const [again] = await hands.admin.sql`select 1 from approvals where run_id = ${runId} and predecessor_id is not null`;
  return (again === undefined ? letExpire : approve)(hands, runId, requests, episode);
};

const nobody: Person = async () => false;

const entry = (tool: string, text: string): Call => ({
  name: `ledger__${tool}`,
  arguments: JSON.stringify({ text, amount: 12.5 }),
});
const oneCall = (tool: string) => (topic: string) => [[entry(tool, topic)]];
const gitWrite = (): readonly (readonly Call[])[] => [[readFile("src/discount.ts")], [propose("total >= 100")]];

/** A fault before the freeze lets the proposal fail; the model is told and ends. */
const orNothing = (statuses: string): RegExp => new RegExp(`^completed (|${statuses})$`);

const ledgerWrite = (tool: string, plain: RegExp = /^completed executed$/): Scenario => ({
  name: `ledger_${tool}`,
  turns: oneCall(tool),
  person: approve,
  plain,
  faulty: /^completed (|executed|failed|invalid)$/,
});

const STEPWISE: readonly Scenario[] = [
  { name: "answer", turns: () => [], person: nobody, plain: /^completed $/, faulty: /^completed $/ },
  {
    name: "reads",
    turns: () => [
      [
        readFile("README.md"),
        readFile("src/discount.ts"),
        { name: "ledger__find_entry", arguments: { key: "nothing" } },
      ],
    ],
    person: nobody,
    plain: /^completed $/,
    faulty: /^completed $/,
  },
  {
    name: "approved",
    turns: gitWrite,
    person: approve,
    plain: /^completed executed$/,
    faulty: orNothing("executed|failed|invalid"),
  },
  { name: "rejected", turns: gitWrite, person: reject, plain: /^completed rejected$/, faulty: orNothing("rejected") },
  { name: "expired", turns: gitWrite, person: letExpire, plain: /^completed expired$/, faulty: orNothing("expired") },
  {
    name: "cancelled",
    turns: gitWrite,
    person: cancel,
    plain: /^cancelled cancelled$/,
    faulty: /^(completed |cancelled cancelled)$/,
  },
  {
    name: "two_in_order",
    turns: (topic) => [[entry("blind", `${topic}-1`), entry("honours_keys", `${topic}-2`)]],
    person: approve,
    plain: /^completed executed executed$/,
    faulty: /^completed (|executed|failed|invalid)( (executed|failed|invalid|cancelled))?$/,
  },
  {
    name: "two_turned_round",
    turns: (topic) => [[propose("total >= 100"), entry("searchable", `${topic}-2`)]],
    person: approveLastFirst,
    plain: /^completed executed executed$/,
    faulty: /^completed (|executed|failed|invalid)( (executed|failed|invalid|cancelled))?$/,
  },
  ledgerWrite("honours_keys"),
  ledgerWrite("searchable"),
  ledgerWrite("blind"),
  ledgerWrite("drops"),
  ledgerWrite("fails_after"),
  {
    ...ledgerWrite("drops_before", /^failed failed$/),
    faulty: /^(failed failed|completed (|failed|invalid))$/,
  },
  ledgerWrite("late"),
  {
    name: "forbidden",
    turns: oneCall("conflict"),
    person: forbidThenApprove,
    plain: /^completed invalid$/,
    faulty: /^completed (|invalid)$/,
  },
  {
    name: "stopped",
    turns: oneCall("blind"),
    person: stopThenGoOn,
    plain: /^completed executed$/,
    faulty: /^completed (|executed|failed|invalid)$/,
  },
  {
    name: "cancel_beside",
    turns: oneCall("late"),
    person: approve,
    beside: cancelBeside,
    plain: /^cancelled executed$/,
    faulty: /^(cancelled|completed|failed) (|executed|failed|cancelled|invalid)$/,
  },
  {
    name: "again",
    turns: oneCall("searchable"),
    person: expireThenApprove,
    after: renew,
    plain: /^completed expired executed$/,
    faulty: /^completed (|expired( (executed|failed|invalid))?)$/,
  },
  {
    name: "recovery",
    turns: gitWrite,
    person: approve,
    stoppedAt: "git.push:after",
    plain: /^completed executed$/,
    faulty: /^completed executed$/,
  },
];

/** Those that are played with several steps for a message too. */
const GO_ON: readonly string[] = [
  "reads",
  "approved",
  "two_turned_round",
  "ledger_fails_after",
  "cancel_beside",
  "recovery",
];

export const SCENARIOS: readonly Scenario[] = [
  ...STEPWISE,
  ...STEPWISE.filter(({ name }) => GO_ON.includes(name)).map((scenario) => ({
    ...scenario,
    name: `${scenario.name}_at_once`,
    goesOn: true,
  })),
];

export const scenarioOf = (name: string): Scenario | undefined => SCENARIOS.find((scenario) => scenario.name === name);
