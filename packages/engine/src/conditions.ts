import type { JsonObject } from "@aiw/contract/tools";
import type { ClaimedRun, LoadedRun } from "@aiw/core/runs";
import { effectiveArguments } from "@aiw/core/tools";
import { actionOfCall, callValues, type Caller } from "@aiw/policy/call-values";
import { type ParseCondition, type ParsedCondition, parseCondition } from "@aiw/policy/condition";
import type { JudgedCall, KnownTool } from "./offers.ts";

const parsed = new Map<string, ParsedCondition>();
const mostKept = 500;

/** Reads a condition once per process; what is kept is bounded. */
export const parseOnce: ParseCondition = (text) => {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (parsed.size >= mostKept) parsed.clear();
  const read = parseCondition(text);
  parsed.set(text, read);
  return read;
};

/** The person a run works for, as its rows say at this moment (SEC-1). */
export const callerOf = (loaded: LoadedRun, run: Pick<ClaimedRun, "id" | "startedBy">): Caller => {
  const starter = loaded.members.find((m) => m.userId === run.startedBy);
  return {
    userId: run.startedBy,
    role: starter?.role ?? "",
    isGlobalApprover: starter?.global ?? false,
    teamId: loaded.workspace.teamId,
    workspaceId: loaded.workspace.id,
    runId: run.id,
  };
};

/** What rules see of a call: read from the arguments as they are frozen and executed (N72), those the platform sets included. */
export const judgedCall = (
  tool: KnownTool,
  tools: readonly KnownTool[],
  args: JsonObject,
  caller: Caller,
): JudgedCall => {
  const [group = tool.row.id] = tool.row.id.split(".");
  const isTool = (id: string): boolean => tools.some((t) => t.row.id === id);
  const inEffect = effectiveArguments(tool.served?.settings ?? null, args, caller);
  return {
    action: actionOfCall({ group, parameters: tool.definition.parameters }, inEffect, isTool),
    values: callValues(inEffect, caller),
  };
};
