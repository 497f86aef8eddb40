import * as approvals from "@aiw/core/approvals";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { isPushed, requestsOf, sweepOnce, type Request } from "../kit/runs.ts";
import { ring, scenarioOf, type Episode, type Hands, type Scenario } from "./scenarios.ts";
import { entriesAt } from "./stage.ts";

const FINAL: readonly string[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];
const MAX_ROUNDS = 120;
/** Longer than the latest act of the ledger. */
const LOOK_AFTER_MS = 200;

export const runsOf = async (hands: Pick<Hands, "admin">, { chatId }: Episode) => [
  ...(await hands.admin.sql<
    { id: string; status: string }[]
  >`select id, status from runs where chat_id = ${chatId} order by id`),
];

/** Requests of all runs of the chat, in order. */
export const requestsOfEpisode = async (hands: Hands, episode: Episode): Promise<Request[]> =>
  (await Promise.all((await runsOf(hands, episode)).map(({ id }) => requestsOf(hands, id)))).flat();

/**
 * Plays a conversation to its end as the world outside does: steps happen only when a doorbell rang for it; while none
 * rings, people do what the scenario says, an admin who looked at the targets says what became of an unclear write, time
 * passes and the sweeper comes by. What throws is a process that died; the next round is another one. False: no end.
 */
export const playOut = async (hands: Hands, episode: Episode): Promise<boolean> => {
  const scenario = scenarioOf(episode.scenario);
  if (scenario === undefined) throw new Error(`there is no scenario ${episode.scenario}`);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const isOver = await playRound(hands, episode, scenario).catch(() => false);
    if (isOver) return true;
  }
  return false;
};

/** One thing that happens. True: everything has ended. */
export const playRound = async (hands: Hands, episode: Episode, scenario: Scenario): Promise<boolean> => {
  const all = await runsOf(hands, episode);
  const open = all.find(({ status }) => !FINAL.includes(status));
  if (open === undefined) return !((await scenario.after?.(hands, episode)) ?? false);
  const bell = takeBell(hands, open.id);
  if (bell !== undefined) {
    if (bell.delayMs !== undefined) await hands.shift(bell.delayMs / 1000 + 0.1);
    await stepBeside(hands, open.id, scenario);
    return false;
  }
  const requests = await requestsOf(hands, open.id);
  if (open.status === "needs_reconciliation" && (await reconcile(hands, open.id, requests))) return false;
  if (open.status === "waiting_approval" && (await scenario.person(hands, open.id, requests, episode))) return false;
  await hands.shift(20);
  await sweepOnce(hands);
  return false;
};

const takeBell = (hands: Hands, runId: string): Hands["rung"][number] | undefined => {
  const index = hands.rung.findIndex((bell) => bell.runId === runId);
  return index < 0 ? undefined : hands.rung.splice(index, 1)[0];
};

const stepBeside = async (hands: Hands, runId: string, scenario: Scenario): Promise<void> => {
  const beside = scenario.beside?.(hands, runId).catch(() => undefined);
  try {
    await hands.stepOnce(runId, undefined, scenario.goesOn);
  } finally {
    await beside;
  }
};

/** Who looks at the target first, and only then says what happened. */
export const reconcile = async (hands: Hands, runId: string, requests: readonly Request[]): Promise<boolean> => {
  const unclear = requests.find(({ status }) => status === "unknown");
  if (unclear === undefined) return false;
  await new Promise((resolve) => setTimeout(resolve, LOOK_AFTER_MS));
  // Who tried twice in vain gives up.
  const outcome = (await happened(hands, unclear)) ? "happened" : unclear.attempt < 2 ? "retry" : "end";
  const answer = await approvals.reconcile(
    hands.as("owner"),
    [hands.workspaceId],
    { runId, approvalId: unclear.id, outcome, comment: "as seen at the target" },
    900,
    hands.deps.vault,
  );
  ring(hands, answer.ring);
  return true;
};

const happened = async (hands: Hands, request: Request): Promise<boolean> => {
  const form = JSON.parse(request.form) as { tool?: string; arguments?: string };
  if (form.tool === undefined) return isPushed(hands, request);
  const text = (JSON.parse(form.arguments ?? "{}") as { text?: string }).text ?? "";
  return (await entriesAt(hands.ledgerUrl)).some(
    (entry) => entry.effect && entry.tool === form.tool && entry.argumentBytes.includes(JSON.stringify(text)),
  );
};

/** Work that was stopped at a point and may be woken later; null: it never came there, and `work` has ended. */
export interface Stopped {
  readonly work: Promise<unknown>;
}

/** Starts work and stops it at a point, as a process that stands still. Whoever comes later passes. */
export const freezeAt = async (at: string, nth: number, start: () => Promise<unknown>): Promise<Stopped | null> => {
  let count = 0;
  let unlisten = (): void => undefined;
  const reached = new Promise<true>((resolve) => {
    unlisten = onPoint((point) => {
      if (point === at && (count += 1) === nth) resolve(true);
    });
  });
  setFaultPlan({ rules: [{ at, nth, act: "hang" }] });
  const work = start().catch(() => undefined);
  const isStopped = await Promise.race([reached, work.then(() => false as const)]);
  unlisten();
  // The one that hangs has read its rule by now; whoever comes later runs without it.
  await Promise.resolve();
  setFaultPlan(undefined);
  return isStopped ? { work } : null;
};
