import type { ApiDeps, Rung } from "../deps.ts";

/** After a commit: wakes the runs that are ready and tells the streams; `changed` names runs that only changed. */
export async function goOn(deps: ApiDeps, rung: Rung, changed: readonly string[] = []): Promise<void> {
  // The request belongs to what it set going: its span stands in the trace of that run (SEC-9).
  const [run] = [...changed, ...rung.runIds];
  if (run !== undefined) deps.span?.joinRun(run);
  const told = [...new Set([...rung.runIds, ...changed])];
  await Promise.all([
    rung.runIds.length === 0 ? undefined : deps.ringStep(rung, deps.span),
    told.length === 0 ? undefined : deps.hint(told),
  ]);
}
