import { stepMessage } from "@aiw/contract/runs";
import type { EngineDeps } from "@aiw/engine/deps";
import { step } from "@aiw/engine/step";
import { environment, isFunction } from "@aiw/platform/deployed";
import { fp } from "@aiw/platform/fault";
import { eachMessage } from "@aiw/platform/messages";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { compose, type StepComposition } from "./compose.ts";

let composed: StepComposition | undefined;

/** What the platform says about the time it leaves. */
type Remaining = Pick<Context, "getRemainingTimeInMillis">;

/** A runner on this machine says nothing and takes nothing away: the time counts all the same. */
const counted = (functionS: number): Remaining => {
  const end = performance.now() + functionS * 1000;
  return { getRemainingTimeInMillis: () => end - performance.now() };
};

/** Seconds before the platform's limit at which a step stops by itself: enough to save what it has and to ring (RUN-23). */
const HAND_OVER_S = 20;

const leftFor = (context: Remaining): number => context.getRemainingTimeInMillis() / 1000 - HAND_OVER_S;

/** Whether another step of the same message would have all the time that this one had. */
const hasTimeFor = ({ limits }: EngineDeps, context: Remaining): boolean => leftFor(context) >= limits.stepS;

/** The step's wall, moved forward where the platform leaves less time than it. */
const withinTime = (deps: EngineDeps, context: Remaining): EngineDeps => {
  const leftS = leftFor(context);
  // Not begun, the message comes again to an environment that has time.
  if (leftS <= 0) throw new Error("there is not enough time left for a step");
  return { ...deps, limits: { ...deps.limits, stepS: Math.min(deps.limits.stepS, leftS) } };
};

/**
 * The step function: one message, one step (RUN-3). A message that cannot be read fails alone and ends in the dead-letter
 * queue (RUN-20); one that names nothing to do is dropped. A step that fails is retried by its own row, so its message is
 * done; only what kept the row from being written (no database) asks for redelivery.
 */
export const handler = async (event: SQSEvent, context?: Remaining): Promise<SQSBatchResponse> => {
  composed ??= compose(environment());
  const { deps, stepsPerMessage, functionS, flush, queue } = composed;
  const remaining = context ?? counted(functionS);
  const answer = await eachMessage(event.Records, deps.log, async (body, { messageId, attributes }, log) => {
    const message = stepMessage.parse(body);
    const within = withinTime(deps, remaining);
    let taken = 0;
    const mayGoOn = (): boolean => (taken += 1) < stepsPerMessage && hasTimeFor(within, remaining);
    const sentAtMs = Number(attributes?.SentTimestamp);
    const delivery = { queue, messageId, ...(sentAtMs > 0 ? { sentAtMs } : {}) };
    await fp("sqs.receive", () => step({ ...within, log }, message, mayGoOn, delivery));
  });
  await fp("step.flush", flush);
  // What a frozen environment still holds may be lost: it goes out before the answer (SEC-9).
  if (isFunction) await fp("step.telemetry", async () => deps.telemetry?.flush());
  return answer;
};
