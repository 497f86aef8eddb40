import type { LimitValues } from "@aiw/contract/operation";
import type { Connector } from "@aiw/connectors/connector";
import type { Gateways } from "@aiw/model/gateways";
import type { Database } from "@aiw/platform/db";
import type { Subagent } from "./children.ts";
import type { Log } from "@aiw/platform/log";
import type { Telemetry } from "@aiw/platform/telemetry";
import type { Span } from "@aiw/platform/trace";
import type { Vault } from "@aiw/platform/vault";

export { canonical } from "@aiw/core/tools";

/** Bounds of a step and of a run (RUN-10, RUN-23). Seconds unless the name says otherwise. */
export interface EngineLimits {
  readonly leaseS: number;
  readonly heartbeatS: number;
  readonly toolCallS: number;
  readonly pushS: number;
  /** Wall of one step; it hands over before the function's own limit (RUN-23). */
  readonly stepS: number;
  readonly stepAttempts: number;
  readonly maxModelCalls: number;
  readonly maxRunTokens: number;
  /** How often a run may make the same call with the same arguments (F76). */
  readonly maxIdenticalCalls: number;
  readonly maxRunWallS: number;
  readonly historyMaxTokens: number;
  /** What a model is assumed to take that nobody told the size of. */
  readonly contextWindowTokens: number;
  readonly toolResultMaxBytes: number;
  readonly executeWithinS: number;
  readonly maxRejections: number;
  /** Text deltas are collected this long (RUN-11: 100-200 ms); the first goes out at once. */
  readonly deltaMs: number;
  readonly readsInParallel: number;
}

/** The bounds that hold for a run now: what platform admins set, never above what the installation allows (RUN-10). */
export const boundedBy = (limits: EngineLimits, set: LimitValues): EngineLimits => {
  const least = (most: number, wanted: number | null): number => Math.min(most, wanted ?? most);
  return {
    ...limits,
    maxModelCalls: least(limits.maxModelCalls, set.modelCalls),
    maxRunTokens: least(limits.maxRunTokens, set.runTokens),
    maxRunWallS: least(limits.maxRunWallS, set.runWallS),
    toolResultMaxBytes: least(limits.toolResultMaxBytes, set.toolResultBytes),
    maxIdenticalCalls: least(limits.maxIdenticalCalls, set.identicalCalls),
  };
};

/** Everything a step needs from outside, by argument (no ambient state). */
export interface EngineDeps {
  readonly db: Database;
  readonly log: Log;
  readonly vault: Vault;
  readonly connectors: ReadonlyMap<string, Connector>;
  /** Ways to the models; which one, and with whose key, the rows say (GW-2, GW-3). */
  readonly gateways: Pick<Gateways, "open">;
  readonly limits: EngineLimits;
  /** Work that may be handed to child runs (RUN-18); none unless something configures some. */
  readonly subagents?: readonly Subagent[];
  /** Hint for readers of events, outside of any transaction; never fails. */
  readonly notify: (runId: string) => void;
  /** Doorbell after the commit; a failure is left to the sweeper (RUN-5). `under`: the span it is rung in. */
  readonly ring: (
    runs: readonly { readonly runId: string; readonly teamId: string; readonly delayMs?: number }[],
    under?: Span,
  ) => Promise<void>;
  /** Traces and metrics (SEC-9); left out: none. */
  readonly telemetry?: Telemetry;
  /** The span of the step under way; set by the step for what it calls. */
  readonly span?: Span;
}
