import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject } from "@aiw/contract/tools";
import type { Tx } from "@aiw/platform/db";
import { actionOfCall, callValues } from "@aiw/policy/call-values";
import { decide, tightened } from "@aiw/policy/decide";
import { isPresentSnapshot } from "@aiw/policy/freeze";
import { inputOf, loadGround } from "../policies/ground.ts";
import { ruleSets } from "../policies/rule.ts";
import { effectiveArguments } from "../tools/effective-arguments.ts";
import type { Opener } from "./sealed.ts";
import { type ExecutionFacts, factsOf, isOutward } from "./claim-execution.ts";

/**
 * Why an open request could not be executed any more even if it were approved this moment, as far as the database knows (F48,
 * F49, F51): so that the click is told, instead of the run a little later. The gate asks everything again before it executes
 * (APR-3). In a transaction bound to its workspace that holds run and request; null: nothing is known against it.
 */
export const standing = async (
  tx: Tx,
  workspaceId: string,
  approvalId: string,
  vault: Opener,
): Promise<InvalidReason | null> => {
  const facts = await factsOf(tx, workspaceId, approvalId, vault);
  if (facts === null) return null;
  if (!facts.snapshotIntact) return "tampered";
  if (!isPresentSnapshot(facts.snapshot)) return "upgraded";
  const { tool } = facts;
  if (!facts.requesterMay || !facts.sourceConnected) return "superseded";
  if (tool === null || !tool.active || tool.definitionHash !== facts.definitionHash) return "superseded";
  if (isOutward(tool) && facts.combined) return "superseded";
  return (await asksMore(tx, workspaceId, facts)) ? "superseded" : null;
};

/** Whether the rules of now deny the frozen call, or want it decided by others than those it was put before. */
const asksMore = async (tx: Tx, workspaceId: string, facts: ExecutionFacts): Promise<boolean> => {
  const ground = await loadGround(tx, workspaceId);
  const tool = ground.tools.find(({ id }) => id === facts.toolId);
  if (tool === undefined) return true;
  const { role, isGlobalApprover } = facts.requester;
  const caller = {
    userId: facts.requesterId,
    role,
    isGlobalApprover,
    teamId: facts.teamId,
    workspaceId,
    runId: facts.runId,
    ...(facts.sourceId === null ? {} : { source: { id: facts.sourceId, labels: facts.labels } }),
  };
  const args = effectiveArguments(tool.settings, JSON.parse(facts.argsText) as JsonObject, caller);
  const action = actionOfCall(tool, args, (id) => ground.tools.some((other) => other.id === id));
  const input = inputOf(tool, action, ruleSets(ground.rules, facts.sourceId), ground.writePolicy);
  const now = decide({ ...input, chatMode: facts.chatMode, values: callValues(args, caller) });
  return tightened({ decision: "require_approval", level: facts.level, fourEyes: facts.fourEyes }, now);
};
