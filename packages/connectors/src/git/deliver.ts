import { fp } from "@aiw/platform/fault";
import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { Drift } from "@aiw/contract/drift";
import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject } from "@aiw/contract/tools";
import type { ProbeOutcome, RecheckOutcome, SourceAccess, ToolResult, WriteOutcome } from "../connector/index.ts";
import { GitFailure } from "./failure.ts";
import { FORM_VERSION, parseForm, preconditionsOf, rebuild, untouched, type Proposal } from "./proposal.ts";
import { createBranch } from "./push.ts";
import { commitOf, findTarget, type Target } from "./refs.ts";
import type { Remote } from "./remote.ts";
import { refusal } from "./result.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { configOf } from "./source.ts";
import { collisionKey, parentsOf } from "./paths.ts";
import type { Snapshot } from "./snapshot.ts";

/** What delivering a frozen proposal needs, for one call. */
export interface Delivery {
  readonly source: SourceAccess;
  readonly remote: Remote;
  readonly store: SnapshotStore;
}

type Invalid = { readonly ok: false; readonly reason: InvalidReason; readonly text: string; readonly drift?: Drift };

const invalid = (reason: InvalidReason, text: string): Invalid => ({ ok: false, reason, text });
const stale = (text: string, code: Drift["code"], facts: Drift["facts"] = {}): Invalid => ({
  ...invalid("stale", text),
  drift: { code, facts },
});
const short = (ref: string): string => ref.replace(/^refs\/heads\//, "");

/**
 * Looks again whether the proposal still means what was approved (APR-3, F26): same source, base still part of the
 * target branch, and none of its files changed there since.
 * @throws GitFailure when the server cannot be asked: that says nothing about the proposal.
 */
export const recheckProposal = async (
  form: string,
  preconditions: JsonObject,
  { source, remote, store }: Delivery,
): Promise<RecheckOutcome> => {
  const proposal = parseForm(form);
  if (proposal === null) return invalid("upgraded", "The stored proposal has a form that is no longer known.");
  const fault = mismatch(proposal, source) ?? differs(proposal, preconditions);
  if (fault !== null) return fault;
  const there = await fp("git.recheck_branch", () => commitOf(remote, proposal.branch));
  if (there === proposal.commit) return { ok: true };
  if (there !== null) {
    const branch = short(proposal.branch);
    return stale(`The branch ${proposal.branch} exists with another commit.`, "branch_taken", { branch });
  }
  const target = await targetNow(remote, source);
  if (target?.ref !== proposal.target) {
    const branch = short(proposal.target);
    return stale(`The target branch is no longer ${proposal.target}.`, "target_branch_changed", { branch });
  }
  if (target.commit === proposal.base) return { ok: true };
  const head = await fp("git.recheck_base", () =>
    store.getAbove(proposal.base, source.id, target.commit, target.ref, remote),
  );
  if (head === null) {
    const facts = { commit: proposal.base.slice(0, 12), branch: short(proposal.target) };
    return stale(`The base commit ${facts.commit} is no longer part of ${proposal.target}.`, "base_gone", facts);
  }
  const touched = conflicts(head, proposal);
  if (touched.length === 0) return { ok: true };
  const files = touched.slice(0, 10).join(", ");
  return stale(`The target branch has changed these files since: ${files}.`, "files_changed", { files });
};

/** Null when the branch that proposals aim at is gone: an answer of the server, unlike every other failure. */
export const targetNow = async (remote: Remote, source: SourceAccess): Promise<Target | null> => {
  try {
    return await fp("git.recheck_target", () => findTarget(remote, configOf(source).branch));
  } catch (error) {
    const isGone = error instanceof GitFailure && ["source_branch_missing", "source_empty"].includes(error.code);
    if (isGone) return null;
    throw error;
  }
};

/** Paths of the proposal that are no longer at the target what they were at the base, new files' places included. */
export const conflicts = (head: Snapshot, proposal: Proposal): string[] => {
  const taken = new Set([...head.files.keys()].map(collisionKey));
  return proposal.files
    .filter((file) => {
      if (!untouched(head, file)) return true;
      if (file.oldOid !== null) return false;
      const blocked = parentsOf(file.path).some((parent) => head.files.has(parent));
      return blocked || head.list(file.path) !== null || taken.has(collisionKey(file.path));
    })
    .map((file) => file.path);
};

const mismatch = (proposal: Proposal, source: SourceAccess): Invalid | null => {
  if (proposal.sourceId !== source.id) return invalid("tampered", "The proposal was made for another source.");
  if (proposal.url !== configOf(source).url) {
    return stale("The source was pointed to another repository since the proposal was made.", "repository_changed");
  }
  return null;
};

const differs = (proposal: Proposal, preconditions: JsonObject): Invalid | null => {
  const expected = preconditionsOf(proposal);
  const same = ["base", "target", "branch"].every((key) => preconditions[key] === expected[key]);
  return same ? null : invalid("tampered", "The stored preconditions are not those of the proposal.");
};

/** Pushes the frozen commit once (GIT-8). Repeating it finds the branch and changes nothing. */
export const pushProposal = async (call: AuthorisedCall, delivery: Delivery): Promise<WriteOutcome> => {
  const { source, remote, store } = delivery;
  const proposal = call.form === null ? null : parseForm(call.form);
  if (proposal === null || call.formVersion !== FORM_VERSION) {
    return refused("The stored proposal has a form that is no longer known.", "upgraded");
  }
  const fault = mismatch(proposal, source);
  if (fault !== null) return refused(fault.text, fault.reason);
  try {
    const base = await fp("git.base", () => store.get(source.id, proposal.base, proposal.target, remote));
    const built = await fp("git.rebuild", () => rebuild(base, proposal));
    if (built === null) return refused("The stored proposal does not give the approved commit.", "tampered");
    const pushed = await createBranch(remote, proposal.branch, built, base);
    switch (pushed.kind) {
      case "done":
        return executed(proposal, "Pushed");
      case "exists":
        return standing(pushed.commit, proposal);
      case "unknown":
        return { kind: "unknown", text: `It is not known whether the push happened. ${pushed.reason}` };
      case "declined":
        return await afterDecline(remote, proposal, pushed.reason);
    }
  } catch (error) {
    if (error instanceof GitFailure) return refused(`Nothing was pushed. ${error.detail}`);
    throw error;
  }
};

/** A no may only mean that another attempt of the same call was faster. */
const afterDecline = async (remote: Remote, proposal: Proposal, reason: string): Promise<WriteOutcome> => {
  const now = await fp("git.after_decline", () => commitOf(remote, proposal.branch)).catch((error: unknown) => {
    if (error instanceof GitFailure) return null;
    throw error;
  });
  return now === null ? refused(`The server declined the push: ${reason}`) : standing(now, proposal);
};

const standing = (there: string, proposal: Proposal): WriteOutcome =>
  there === proposal.commit
    ? executed(proposal, "Already there:")
    : refused(`The branch ${proposal.branch} exists with another commit; it was not touched.`, "stale");

const refused = (text: string, reason?: InvalidReason): WriteOutcome =>
  reason === undefined
    ? { kind: "refused", result: refusal(text) }
    : { kind: "refused", result: refusal(text), invalid: reason };

const executed = (proposal: Proposal, how: string): WriteOutcome => ({
  kind: "executed",
  result: delivered(proposal, how),
});

const delivered = (proposal: Proposal, how: string): ToolResult => ({
  ok: true,
  text: `${how} branch ${proposal.branch.slice("refs/heads/".length)} with commit ${proposal.commit}, based on ${proposal.base}.`,
  truncated: false,
  facts: { branch: proposal.branch.slice("refs/heads/".length), commit: proposal.commit, base: proposal.base },
});

/** RUN-7: asks the server whether the branch stands with exactly this commit. */
export const probeProposal = async (call: AuthorisedCall, { source, remote }: Delivery): Promise<ProbeOutcome> => {
  const proposal = call.form === null ? null : parseForm(call.form);
  if (proposal === null || mismatch(proposal, source) !== null) {
    return { kind: "cannot_tell", text: "The stored proposal cannot be compared with this source." };
  }
  try {
    const there = await fp("git.probe", () => commitOf(remote, proposal.branch));
    if (there === proposal.commit) return { kind: "applied", result: delivered(proposal, "Found") };
    if (there === null) return { kind: "not_applied", text: `The server has no branch ${proposal.branch}.` };
    return { kind: "not_applied", text: `The branch ${proposal.branch} has another commit.` };
  } catch (error) {
    if (error instanceof GitFailure) return { kind: "cannot_tell", text: error.detail };
    throw error;
  }
};
