import { fp } from "@aiw/platform/fault";
import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject } from "@aiw/contract/tools";
import type { ProbeOutcome, RecheckOutcome, SourceAccess, ToolResult, WriteOutcome } from "../connector/index.ts";
import { discover, type Advertisement } from "./advertisement.ts";
import { GitFailure } from "./failure.ts";
import { contains } from "./fetch-pack.ts";
import { FORM_VERSION, parseForm, preconditionsOf, rebuild, untouched, type Proposal } from "./proposal.ts";
import { createBranch } from "./push.ts";
import { refusal } from "./result.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { configOf, targetOf } from "./source.ts";
import type { Remote } from "./transport.ts";
import { collisionKey, parentsOf } from "./paths.ts";
import type { Snapshot } from "./snapshot.ts";

/** What delivering a frozen proposal needs, for one call. */
export interface Delivery {
  readonly source: SourceAccess;
  readonly remote: Remote;
  readonly store: SnapshotStore;
}

type Invalid = { readonly ok: false; readonly reason: InvalidReason; readonly text: string };

const invalid = (reason: InvalidReason, text: string): Invalid => ({ ok: false, reason, text });

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
  const server = await discover(remote, "git-upload-pack");
  const there = server.refs.get(proposal.branch);
  if (there === proposal.commit) return { ok: true };
  if (there !== undefined) return invalid("stale", `The branch ${proposal.branch} exists with another commit.`);
  const target = server.refs.get(proposal.target);
  if (target === undefined || targetOf(configOf(source), server).ref !== proposal.target) {
    return invalid("stale", `The target branch is no longer ${proposal.target}.`);
  }
  if (target === proposal.base) return { ok: true };
  if (!(await contains(remote, server, target, proposal.base))) {
    return invalid("stale", `The base commit ${proposal.base.slice(0, 12)} is no longer part of ${proposal.target}.`);
  }
  const head = await store.get(source.id, target, remote, server);
  const touched = conflicts(head, proposal);
  if (touched.length === 0) return { ok: true };
  return invalid("stale", `The target branch has changed these files since: ${touched.slice(0, 10).join(", ")}.`);
};

/** Paths of the proposal that are no longer at the target what they were at the base, new files' places included. */
const conflicts = (head: Snapshot, proposal: Proposal): string[] => {
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
    return invalid("stale", "The source was pointed to another repository since the proposal was made.");
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
    const built = rebuild(await store.get(source.id, proposal.base, remote), proposal);
    if (built === null) return refused("The stored proposal does not give the approved commit.", "tampered");
    const server = await discover(remote, "git-receive-pack");
    const before = standing(server, proposal);
    if (before !== null) return before;
    const pushed = await createBranch(remote, server, proposal.branch, proposal.commit, built.objects);
    if (pushed.kind === "done") return executed(proposal, "Pushed");
    if (pushed.kind === "unknown")
      return { kind: "unknown", text: `It is not known whether the push happened. ${pushed.reason}` };
    return await afterDecline(remote, proposal, pushed.reason);
  } catch (error) {
    if (error instanceof GitFailure) return refused(`Nothing was pushed. ${error.detail}`);
    throw error;
  }
};

/** A no may only mean that another attempt of the same call was faster. */
const afterDecline = async (remote: Remote, proposal: Proposal, reason: string): Promise<WriteOutcome> => {
  const now = await discover(remote, "git-receive-pack").catch((error: unknown) => {
    if (error instanceof GitFailure) return null;
    throw error;
  });
  const standingNow = now === null ? null : standing(now, proposal);
  return standingNow ?? refused(`The server declined the push: ${reason}`);
};

const standing = (server: Advertisement, proposal: Proposal): WriteOutcome | null => {
  const there = server.refs.get(proposal.branch);
  if (there === undefined) return null;
  if (there === proposal.commit) return executed(proposal, "Already there:");
  return refused(`The branch ${proposal.branch} exists with another commit; it was not touched.`, "stale");
};

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
    const server = await fp("git.probe", () => discover(remote, "git-upload-pack"));
    const there = server.refs.get(proposal.branch);
    if (there === proposal.commit) return { kind: "applied", result: delivered(proposal, "Found") };
    if (there === undefined) return { kind: "not_applied", text: `The server has no branch ${proposal.branch}.` };
    return { kind: "not_applied", text: `The branch ${proposal.branch} has another commit.` };
  } catch (error) {
    if (error instanceof GitFailure) return { kind: "cannot_tell", text: error.detail };
    throw error;
  }
};
