import type { ClaimedRun, LoadedRun, StepOutcome } from "@aiw/core/runs";
import { fp } from "@aiw/platform/fault";
import { ModelError, type TurnEvent } from "@aiw/model/turn";
import { answeringModel, windowOf, type AnsweringModel } from "./answering-model.ts";
import type { EngineDeps } from "./deps.ts";
import { failedTurn } from "./failed-turn.ts";
import * as history from "./history.ts";
import type { Lease } from "./lease.ts";
import { subagentTools } from "./children.ts";
import { askedModel } from "./observe.ts";
import { isAllowed, knownTools, offered, testedSources } from "./offers.ts";
import { ownTools, type CallableTool } from "./own-tools.ts";
import { instructions } from "./prompt.ts";
import { describeSources, pinSources } from "./sources.ts";
import { streamText } from "./stream-text.ts";
import { turnOutcome, type Answer, type WrapUp } from "./turn-outcome.ts";

/** One model turn: context from rows, stream, then everything it brought in one commit (RUN-3). */
export const modelStep = async (deps: EngineDeps, lease: Lease, loaded: LoadedRun): Promise<StepOutcome> => {
  const { run } = lease;
  const stop = limitReached(deps, run);
  if (stop !== null) return stop;

  const pins = await pinSources(deps, loaded, run, lease.signal);
  const usable = offered(knownTools(deps.connectors, loaded), loaded)
    .filter((t) => isAllowed(run, t))
    .filter((t) => testedSources(loaded, t.row.sourceKind).some((s) => pins[s.id]?.["failed"] === undefined));
  // A child has the tools it was given and nobody to ask (RUN-18).
  const mine = run.lane === "child" ? [] : [...ownTools(loaded), ...subagentTools(run, deps.subagents ?? [])];
  const own = mine.filter((t) => usable.every((u) => u.definition.wireName !== t.definition.wireName));
  const tools = loaded.model?.tools === false ? [] : [...own, ...usable];
  const sources = await describeSources(deps, loaded, run, pins, lease.signal);
  const wrapUp = wrapUpReason(deps, loaded, run);
  const input = history.build(
    loaded.items,
    run.id,
    Math.min(deps.limits.historyMaxTokens, Math.floor(windowOf(deps, loaded.model) * 0.6)),
  );
  const open = history.unanswered(input.items);
  if (open.length > 0) throw new Error(`calls without exactly one output: ${open.length}`);

  const prompt = instructions(loaded, tools, sources, wrapUp);
  try {
    const answering = await answeringModel(deps, loaded);
    const answer = await ask(deps, lease, answering, {
      prompt,
      items: input.items,
      tools,
      forbidCalls: wrapUp !== null,
    });
    return turnOutcome({
      deps,
      run,
      loaded,
      model: answering.model,
      tools,
      pins,
      answer,
      wrapUp,
      prompt,
      historyTokens: input.tokens,
    });
  } catch (error) {
    if (error instanceof ModelError)
      return {
        ...failedTurn(deps, lease, error),
        ...(loaded.model === null ? {} : { model: loaded.model.name }),
        pins,
      };
    throw error;
  }
};

const ask = async (
  deps: EngineDeps,
  lease: Lease,
  { gateway, model }: AnsweringModel,
  turn: {
    readonly prompt: string;
    readonly items: ReturnType<typeof history.build>["items"];
    readonly tools: readonly CallableTool[];
    readonly forbidCalls: boolean;
  },
): Promise<Answer> => {
  const text = streamText(lease, deps.limits.deltaMs);
  let done: Extract<TurnEvent, { type: "done" }> | undefined;
  try {
    const call = askedModel(deps, model.name, async () => {
      const stream = gateway.turn(
        {
          model: model.name,
          stream: model.streaming,
          instructions: turn.prompt,
          items: turn.items,
          tools: turn.tools.map((t) => ({
            name: t.definition.wireName,
            description: t.definition.description,
            parameters: t.definition.parameters,
          })),
          toolChoice: turn.forbidCalls || turn.tools.length === 0 ? "none" : "auto",
        },
        lease.signal,
      );
      for await (const event of stream) {
        lease.assertHeld();
        if (event.type === "delta") await fp("model.chunk", () => text.push(event.text));
        else done = event;
      }
      return done?.usage;
    });
    await fp("model.call", call);
  } finally {
    await text.end();
  }
  if (done === undefined)
    throw new ModelError({ kind: "retry", code: "no_terminal_event", message: "The model's answer ended too early." });
  return { items: done.items, usage: done.usage, truncated: done.endReason === "length" };
};

/** RUN-10: bounds that end a run before another model call. */
const limitReached = (deps: EngineDeps, run: ClaimedRun): StepOutcome | null => {
  const { limits } = deps;
  const which =
    run.modelCalls >= Math.min(limits.maxModelCalls, run.modelCallLimit ?? limits.maxModelCalls)
      ? "model_calls"
      : run.inputTokens + run.outputTokens >= limits.maxRunTokens
        ? "tokens"
        : run.workMs >= limits.maxRunWallS * 1000
          ? "work_time"
          : null;
  if (which === null) return null;
  return {
    status: "completed",
    endReason: "limit_reached",
    outcome: `limit:${which}`,
    audit: [
      { actorKind: "system", event: "run.limit_reached", objectKind: "run", objectId: run.id, data: { limit: which } },
    ],
  };
};

/** The last turn of an answer is asked for a summary instead of more calls (RUN-10, APR-6). */
const wrapUpReason = (deps: EngineDeps, loaded: LoadedRun, run: ClaimedRun): WrapUp | null => {
  if (run.toolRounds >= loaded.workspace.maxToolRounds) return "tool_rounds";
  const rejections = loaded.approvals.filter((a) => a.status === "rejected").length;
  if (rejections >= deps.limits.maxRejections) return "rejections";
  return mostRepeated(loaded, run.id) >= deps.limits.maxIdenticalCalls ? "repetition" : null;
};

/** How often the run made its most repeated call: the same tool with the same arguments (F76). */
const mostRepeated = (loaded: LoadedRun, runId: string): number => {
  const counts = new Map<string, number>();
  let most = 0;
  for (const item of loaded.items) {
    if (item.runId !== runId || item.kind !== "function_call") continue;
    const call = JSON.parse(item.data) as { readonly name?: string; readonly arguments?: string };
    const key = `${call.name ?? ""}\n${call.arguments ?? ""}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    most = Math.max(most, count);
  }
  return most;
};
