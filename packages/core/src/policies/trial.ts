import type { Human, Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Trial } from "@aiw/contract/policies";
import type { JsonObject, WritePolicy } from "@aiw/contract/tools";
import type { MemberRole } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import { actionOfCall, callValues, type Caller } from "@aiw/policy/call-values";
import { decide } from "@aiw/policy/decide";
import { readArguments } from "@aiw/policy/json";
import { requireAdmin, requirePlatformAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { effectiveArguments } from "../tools/effective-arguments.ts";
import { checkDraft } from "./check.ts";
import { type Ground, inputOf, loadGround } from "./ground.ts";
import { type RuleDraft, type RuleRow, ruleSets } from "./rule.ts";
import { requireSource } from "./save.ts";

interface Sample {
  readonly toolId: string;
  /** JSON text. */
  readonly args: string;
  readonly role: MemberRole;
}

type Draft<T> = (T & { readonly policyId: string | null }) | null;

/** Stands for what a sample call does not have: a run, and for the platform a workspace and a team. */
const NONE = "00000000-0000-0000-0000-000000000000";

/**
 * What the rules here, with one of them changed or added, would say to a call (POL-7). The same decision over the same
 * values as the gate's, arguments read as strictly; nothing is executed or stored. The arguments are not compared with the
 * tool's schema.
 * @throws Problem forbidden | bad_request (toolId, sourceId) | sample_invalid, and those of saving the changed rule
 */
export async function tryIt(
  ctx: Ctx<Member>,
  sample: Sample & { readonly sourceId: string | null; readonly draft: Draft<RuleDraft & { sourceId: string | null }> },
): Promise<Trial> {
  await requireAdmin(ctx);
  const { userId, teamId, workspaceId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    if (sample.sourceId !== null) await requireSource(tx, sample.sourceId);
    const ground = await loadGround(tx, workspaceId);
    const { draft } = sample;
    const level = draft === null || draft.sourceId === null ? "workspace" : "source";
    const rules = draft === null ? ground.rules : withDraft(ground, draft, { level, sourceId: draft.sourceId });
    const caller = { userId, role: sample.role, isGlobalApprover: false, teamId, workspaceId, runId: NONE };
    return judge({ ...ground, rules }, sample, sample.sourceId, caller);
  });
}

/** The same for the platform's rules alone, in the given mode. @throws as `tryIt` */
export async function tryPlatform(
  ctx: Ctx<Human>,
  sample: Sample & { readonly writePolicy: WritePolicy; readonly draft: Draft<RuleDraft> },
): Promise<Trial> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const ground = await loadGround(tx, null);
    const { draft, writePolicy } = sample;
    const rules = draft === null ? ground.rules : withDraft(ground, draft, { level: "platform", sourceId: null });
    const caller = {
      userId,
      role: sample.role,
      isGlobalApprover: false,
      teamId: NONE,
      workspaceId: NONE,
      runId: NONE,
    };
    return judge({ ...ground, rules, writePolicy }, sample, null, caller);
  });
}

const withDraft = (
  { rules, tools }: Ground,
  draft: RuleDraft & { readonly policyId: string | null },
  place: Pick<RuleRow, "level" | "sourceId">,
): readonly RuleRow[] => {
  const { policyId, ...fields } = draft;
  const old = rules.find((rule) => rule.id === policyId);
  const changed = {
    ...checkDraft(fields, tools, place.level === "platform"),
    ...place,
    id: policyId ?? "draft",
    version: (old?.version ?? 0) + 1,
  };
  return [...rules.filter((rule) => rule !== old), changed];
};

function judge(ground: Ground, sample: Sample, sourceId: string | null, caller: Caller): Trial {
  const tool = ground.tools.find(({ id }) => id === sample.toolId);
  if (tool === undefined) throw new Problem("bad_request", { fields: { toolId: "unknown" } });
  const args = effectiveArguments(tool.settings, argumentsOf(sample.args), caller);
  const action = actionOfCall(tool, args, (id) => ground.tools.some((other) => other.id === id));
  const input = inputOf(tool, action, ruleSets(ground.rules, sourceId), ground.writePolicy);
  const { decision, level, fourEyes, explanation } = decide({ ...input, values: callValues(args, caller) });
  return { decision, level, fourEyes, explanation: plain(explanation) };
}

function argumentsOf(text: string): JsonObject {
  const read = readArguments(text.trim() === "" ? "{}" : text);
  if (!read.ok) throw new Problem("sample_invalid", { fields: { args: read.code }, params: { message: read.message } });
  return read.value;
}

/** As it would be stored with a call. */
const plain = (explanation: unknown): Trial["explanation"] =>
  JSON.parse(JSON.stringify(explanation)) as Trial["explanation"];
