import type { SavedGuardrail } from "@aiw/policy/guardrail-map";
import { readSettings, rulesOf } from "../agents/settings.ts";
import type {
  LoadedApproval,
  LoadedCall,
  LoadedItem,
  LoadedMember,
  LoadedModel,
  LoadedPolicy,
  LoadedChild,
  LoadedQuestion,
  LoadedRun,
  LoadedSecret,
  LoadedSource,
  LoadedTool,
  LoadedWorkspace,
  StagedRequest,
} from "./run.ts";

/** A row of `run_load_v1`. */
export interface LoadRow {
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

/** What a step needs, from the plain rows that `run_load_v1` brings. */
export const decodeLoad = (rows: readonly LoadRow[]): LoadedRun => {
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
    secrets: of<LoadedSecret>("secret"),
    questions: of<LoadedQuestion>("question"),
    children: of<LoadedChild>("child"),
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

const toItem = (r: LoadRow): LoadedItem => {
  const [runId = "", step = "0", kind = "", whose] = (r.key ?? "").split(":");
  return {
    runId,
    step: Number(step),
    kind: kind as LoadedItem["kind"],
    otherModel: whose === "other",
    data: r.data ?? "",
  };
};
