import type { Database } from "@aiw/platform/db";
import type { SavedGuardrail } from "@aiw/policy/guardrail-map";
import { readSettings, rulesOf } from "../agents/settings.ts";
import type {
  ClaimedRun,
  LoadedApproval,
  LoadedCall,
  LoadedItem,
  LoadedMember,
  LoadedModel,
  LoadedPolicy,
  LoadedRun,
  LoadedSource,
  LoadedTool,
  LoadedWorkspace,
  StagedRequest,
} from "./run.ts";

interface Row {
  kind: string;
  key: string | null;
  data: string | null;
}

interface CallRow {
  id: string;
  call_id: string;
  position: number;
  step: number;
  wire_name: string;
  tool_id: string | null;
  source_id: string | null;
  args_text: string;
  status: LoadedCall["status"];
  result: string | null;
  model_note: string | null;
  predecessor_id: string | null;
}

/** At most this many items of a chat are looked at; the token budget cuts further (AI-1). */
const MAX_ITEMS = 2000;

/** Reads what a step needs, in one round trip and as plain rows (`run_load_v1`). */
export const load = async (db: Database, run: ClaimedRun): Promise<LoadedRun> => {
  const rows = await db.sql<Row[]>`
    select kind, key, data from run_load_v1(${run.id}::uuid, ${run.workspaceId}::uuid, ${MAX_ITEMS})`;
  const of = <T>(kind: string): T[] =>
    rows.filter((r) => r.kind === kind && r.data !== null).map((r) => JSON.parse(r.data ?? "null") as T);
  const [workspace] = of<LoadedWorkspace>("workspace");
  if (workspace === undefined) throw new Error("the workspace of the run is gone");
  const [globals] = of<string[]>("globals");
  const agent = readSettings(of<unknown>("agent")[0]);
  return {
    workspace,
    agent,
    members: of<LoadedMember>("member"),
    globalApprovers: globals ?? [],
    tools: of<LoadedTool>("tool"),
    policies: [...of<LoadedPolicy>("policy"), ...rulesOf(agent)],
    sources: of<LoadedSource>("source"),
    model: of<LoadedModel>("model")[0] ?? null,
    guardrails: of<SavedGuardrail>("guardrail"),
    approvals: of<LoadedApproval>("approval"),
    staged: of<StagedRequest>("staged"),
    calls: of<CallRow>("call").map(toCall),
    items: rows.filter((r) => r.kind === "item").map(toItem),
  };
};

const toCall = (c: CallRow): LoadedCall => ({
  id: c.id,
  callId: c.call_id,
  position: c.position,
  step: c.step,
  wireName: c.wire_name,
  toolId: c.tool_id,
  sourceId: c.source_id,
  args: c.args_text,
  status: c.status,
  result: c.result,
  note: c.model_note,
  predecessorId: c.predecessor_id,
});

const toItem = (r: Row): LoadedItem => {
  const [runId = "", step = "0", kind = "", whose] = (r.key ?? "").split(":");
  return {
    runId,
    step: Number(step),
    kind: kind as LoadedItem["kind"],
    otherModel: whose === "other",
    data: r.data ?? "",
  };
};
