import { sealAuthorisedCall, type AuthorisedCall } from "@aiw/contract/authorised-call";
import type { InvalidReason } from "@aiw/contract/runs";
import type { ExecutionFacts } from "@aiw/core/approvals";
import type { ClaimedRun, LoadedCall, LoadedRun, LoadedSource } from "@aiw/core/runs";
import { decide, tightened, type Verdict } from "@aiw/policy/decide";
import { isPresentSnapshot, snapshot } from "@aiw/policy/freeze";
import type { JsonObject } from "@aiw/contract/tools";
import { callerOf, judgedCall } from "./conditions.ts";
import { isOutward } from "@aiw/core/approvals";
import { policyInput, testedSources, verdictFor, type KnownTool } from "./offers.ts";

/**
 * POL-1: the one choke point. Every call of every tool is judged here, and only here a call becomes one that a connector
 * accepts. What the model wrote is never a proof of anything; only rows are.
 */
export type Judgement =
  | {
      readonly kind: "allow";
      readonly tool: KnownTool;
      readonly source: LoadedSource;
      readonly args: JsonObject;
      readonly verdict: Verdict;
    }
  | {
      readonly kind: "ask";
      readonly tool: KnownTool;
      readonly source: LoadedSource;
      readonly args: JsonObject;
      readonly verdict: Verdict;
    }
  | { readonly kind: "deny"; readonly text: string; readonly verdict: Verdict | null }
  /** The call itself is at fault (which source?); no policy was asked. */
  | { readonly kind: "unusable"; readonly text: string };

/** Judges a pending call against what is stored now: tool, classification, mode, rules and their conditions over its arguments, source, requester (SEC-1). */
export const judge = (
  call: LoadedCall,
  loaded: LoadedRun,
  tools: readonly KnownTool[],
  run: Pick<ClaimedRun, "id" | "startedBy">,
): Judgement => {
  const starter = loaded.members.find((m) => m.userId === run.startedBy);
  if (starter === undefined || starter.disabled)
    return { kind: "deny", text: "The person who asked may not use this workspace any more.", verdict: null };
  const tool = tools.find((t) => t.row.id === call.toolId);
  if (tool === undefined || !tool.row.active)
    return { kind: "deny", text: "This tool is not available here any more.", verdict: null };
  const args = JSON.parse(call.args) as JsonObject;
  const source = sourceFor(call, args, loaded, tool);
  if (typeof source === "string") return { kind: "unusable", text: source };
  if (isOutward(tool.row) && loaded.workspace.combined) return { kind: "deny", text: COMBINED, verdict: null };
  const caller = { ...callerOf(loaded, run), source: { id: source.id, labels: source.labels } };
  const verdict = verdictFor(tool.row, loaded, source.id, judgedCall(tool, tools, args, caller));
  if (verdict.decision === "deny") return { kind: "deny", text: verdict.reason, verdict };
  return { kind: verdict.decision === "allow" ? "allow" : "ask", tool, source, args, verdict };
};

/** POL-11: where confidential sources and untrusted content come together, nothing carries data to a server. */
const COMBINED =
  "This workspace combines confidential sources with untrusted content, so tools that write to the outside are blocked here.";

/** The source a call means: the one it names, or the only one there is. Sources are set by the server, not by the model. */
const sourceFor = (call: LoadedCall, args: JsonObject, loaded: LoadedRun, tool: KnownTool): LoadedSource | string => {
  const sources = testedSources(loaded, tool.row.sourceKind);
  if (call.sourceId !== null)
    return sources.find((s) => s.id === call.sourceId) ?? "The source of this call is not connected any more.";
  // A server's tool may have an argument of that name; a workspace connects a server once.
  const named = tool.served === null ? args["source"] : undefined;
  const names = sources.map((s) => `"${s.name}"`).join(", ");
  if (typeof named === "string")
    return (
      sources.find((s) => s.name.toLowerCase() === named.toLowerCase()) ??
      `There is no source "${named}". Sources: ${names}.`
    );
  const [only, second] = sources;
  if (only === undefined) return "No tested source is connected for this tool.";
  return second === undefined
    ? only
    : `Several sources are connected: ${names}. Say which one with the argument "source".`;
};

/** A reading call that policy allows. */
export const authoriseRead = (call: LoadedCall, judgement: Extract<Judgement, { kind: "allow" }>): AuthorisedCall =>
  sealAuthorisedCall({
    toolCallId: call.id,
    toolId: judgement.tool.row.id,
    sourceId: judgement.source.id,
    argsText: call.args,
    form: null,
    formVersion: 0,
    idempotencyKey: null,
  });

/** A request whose execution was claimed (T1): exactly the frozen bytes, under the key of the request. */
export const authoriseClaimed = (facts: ExecutionFacts, idempotencyKey: string): AuthorisedCall =>
  sealAuthorisedCall({
    toolCallId: facts.toolCallId,
    toolId: facts.toolId,
    sourceId: facts.sourceId,
    argsText: facts.argsText,
    form: facts.form,
    formVersion: facts.formVersion,
    idempotencyKey,
  });

/**
 * APR-3: everything about an approved request that can be known inside the database, looked at again in the transaction that
 * claims its execution. Only vetoes: a looser policy changes nothing. Conditions see the frozen bytes, and the requester as
 * they are now (N72).
 */
export const mayStillRun = (
  facts: ExecutionFacts,
  workspaceId: string,
  runId: string,
  tool: KnownTool,
  tools: readonly KnownTool[],
): InvalidReason | null => {
  if (facts.lapsed) return "lapsed";
  if (!isPresentSnapshot(facts.snapshot)) return "upgraded";
  if (!isIntact(facts, workspaceId, runId)) return "tampered";
  if (!facts.requesterMay || !facts.deciderMay || !facts.sourceConnected) return "superseded";
  if (
    facts.tool === null ||
    facts.tool.definitionHash !== facts.definitionHash ||
    tool.row.definitionHash !== facts.definitionHash ||
    !facts.tool.active
  )
    return "superseded";
  const { role, isGlobalApprover } = facts.requester;
  const source = facts.sourceId === null ? {} : { source: { id: facts.sourceId, labels: facts.labels } };
  const caller = {
    userId: facts.requesterId,
    role,
    isGlobalApprover,
    teamId: facts.teamId,
    workspaceId,
    runId,
    ...source,
  };
  if (isOutward(tool.row) && facts.combined) return "superseded";
  const call = judgedCall(tool, tools, JSON.parse(facts.argsText) as JsonObject, caller);
  const now = decide(policyInput(facts.tool, facts, facts.sourceId, call));
  const before = {
    decision: facts.allowedByPolicy ? ("allow" as const) : ("require_approval" as const),
    level: facts.level,
    fourEyes: facts.fourEyes,
  };
  return tightened(before, now) ? "superseded" : null;
};

/** Whether the columns that are shown and executed still give the hash that was decided on (N31). */
export const isIntact = (f: ExecutionFacts, workspaceId: string, runId: string): boolean => {
  const preconditions = jsonOrNull(f.preconditions);
  return f.snapshotIntact && preconditions !== null && rebuilt(f, preconditions, workspaceId, runId) === f.snapshotHash;
};

const jsonOrNull = (text: string): JsonObject | null => {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return null;
  }
};

/** The hash of what was handed to the tool, made anew from exactly that (APR-21): the decided one, or something went wrong. */
export const executedHash = (f: ExecutionFacts, call: AuthorisedCall, workspaceId: string, runId: string): string =>
  rebuilt(
    {
      ...f,
      toolId: call.toolId,
      sourceId: call.sourceId,
      argsText: call.argsText,
      form: call.form ?? "",
      formVersion: call.formVersion,
    },
    jsonOrNull(f.preconditions) ?? {},
    workspaceId,
    runId,
  );

const rebuilt = (f: ExecutionFacts, preconditions: JsonObject, workspaceId: string, runId: string): string =>
  snapshot({
    tool: f.toolId,
    action: f.toolId.split(".")[1] ?? null,
    sourceId: f.sourceId,
    argsCanonical: f.argsText,
    preview: f.preview,
    preconditions,
    form: f.form,
    formVersion: f.formVersion,
    definitionHash: f.definitionHash,
    level: f.level,
    fourEyes: f.fourEyes,
    policyVersion: f.policyVersion,
    workspaceId,
    runId,
    callId: f.callId,
    requesterId: f.requesterId,
  }).hash;
