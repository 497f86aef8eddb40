import type { ApiDeps, Rung } from "../deps.ts";

/** After a commit: wakes the runs that are ready and tells the streams; `changed` names runs that only changed. */
export async function goOn(deps: ApiDeps, rung: Rung, changed: readonly string[] = []): Promise<void> {
  const told = [...new Set([...rung.runIds, ...changed])];
  await Promise.all([
    rung.runIds.length === 0 ? undefined : deps.ringStep(rung),
    told.length === 0 ? undefined : deps.hint(told),
  ]);
}
