import type { JsonObject } from "@aiw/contract/tools";
import type { CallContext, StoredTool } from "@aiw/connectors/connector";
import type { ClaimedRun, LoadedRun, LoadedSource } from "@aiw/core/runs";
import { deadline } from "@aiw/platform/deadline";
import { fp } from "@aiw/platform/fault";
import { allSettled } from "./all-settled.ts";
import type { EngineDeps } from "./deps.ts";
import type { SourceText } from "./prompt.ts";

type Pins = Readonly<Record<string, JsonObject>>;

/** What a call of this run at this source gets (SRC-1). The secret is opened here, for this call. */
export const contextFor = async (
  deps: EngineDeps,
  run: ClaimedRun,
  source: LoadedSource,
  pins: Pins,
  signal: AbortSignal,
  timeoutS: number,
  tool?: StoredTool,
): Promise<CallContext> => ({
  userId: run.startedBy,
  workspaceId: run.workspaceId,
  teamId: run.teamId,
  runId: run.id,
  source: {
    id: source.id,
    name: source.name,
    kind: source.kind,
    config: source.config,
    secret: await secretOf(deps, source),
  },
  pin: pins[source.id] ?? null,
  signal: deadline(timeoutS * 1000, signal),
  timeoutMs: timeoutS * 1000,
  maxResultBytes: deps.limits.toolResultMaxBytes,
  ...(tool === undefined ? {} : { tool }),
});

const secretOf = async ({ vault }: EngineDeps, { secret, secretContext }: LoadedSource): Promise<string | null> =>
  secret === null ? null : fp("secret.open", () => vault.open(secret, secretContext));

/**
 * GIT-1: one pinned state per source at the run's start, read by all calls of the run. A source that cannot be pinned now is
 * left out of this run, with the reason; the run goes on with the others.
 */
export const pinSources = async (
  deps: EngineDeps,
  loaded: LoadedRun,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<Pins> => {
  const pins: Record<string, JsonObject> = { ...run.pins };
  // What is put forward again is prepared against the target as it is now, not as it was known a minute ago (APR-7).
  const anew = loaded.calls.some((c) => c.predecessorId !== null && c.status === "pending");
  const missing = loaded.sources.filter(
    (s) => s.status === "tested" && pins[s.id] === undefined && deps.connectors.has(s.kind),
  );
  await allSettled(
    missing.map(async (source) => {
      const connector = deps.connectors.get(source.kind);
      if (connector === undefined) return;
      const context = await contextFor(deps, run, source, pins, signal, deps.limits.toolCallS);
      const outcome = await fp("source.pin", () => connector.pin(context.source, context.signal, anew)).catch(
        (error: unknown) => {
          if (signal.aborted) throw error;
          deps.log.warn("a source could not be pinned", {
            runId: run.id,
            workspaceId: run.workspaceId,
            sourceId: source.id,
            error,
          });
          return { ok: false as const, text: "The source cannot be reached right now." };
        },
      );
      pins[source.id] = outcome.ok ? outcome.pin : { failed: outcome.text };
    }),
  );
  return pins;
};

/** What the prompt says about each source (AI-1, GIT-9). */
export const describeSources = async (
  deps: EngineDeps,
  loaded: LoadedRun,
  run: ClaimedRun,
  pins: Pins,
  signal: AbortSignal,
): Promise<SourceText[]> =>
  allSettled(
    loaded.sources
      .filter((s) => s.status === "tested")
      .map(async (source) => {
        const connector = deps.connectors.get(source.kind);
        const failed = pins[source.id]?.["failed"];
        if (connector === undefined || failed !== undefined) {
          return {
            name: source.name,
            summary: `- "${source.name}" (${source.kind}): not available in this run. ${typeof failed === "string" ? failed : ""}`,
            conventions: null,
          };
        }
        const context = await contextFor(deps, run, source, pins, signal, deps.limits.toolCallS);
        const text = await fp("source.describe", () => connector.describe(context)).catch((error: unknown) => {
          if (signal.aborted) throw error;
          deps.log.warn("a source could not be described", { runId: run.id, sourceId: source.id, error });
          return { summary: `- "${source.name}" (${source.kind})`, conventions: null };
        });
        return { name: source.name, ...text };
      }),
  );
