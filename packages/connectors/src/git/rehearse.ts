import { fp } from "@aiw/platform/fault";
import type { JsonObject } from "@aiw/contract/tools";
import { conflicts, targetNow, type Delivery } from "./deliver.ts";
import { GitFailure } from "./failure.ts";
import { buildFiles, parseForm } from "./proposal.ts";

const MAX_CONFLICTS = 50;

/**
 * Tries a frozen proposal on the head that its target branch has now, without pushing anything (APR-20): whether it still applies
 * there, which of its files somebody else changed, and which tree a merge would give. Null for a form of another version.
 * @throws GitFailure when the server cannot be asked
 */
export const rehearseProposal = async (
  form: string,
  { source, remote, store }: Delivery,
): Promise<JsonObject | null> => {
  const proposal = parseForm(form);
  if (proposal === null) return null;
  const target = await fp("git.rehearse_target", () => targetNow(remote, source));
  if (target === null) throw new GitFailure("source_branch_missing", "The target branch is gone.");
  const base = { base: proposal.base, target: proposal.target.slice("refs/heads/".length), commit: proposal.commit };
  const files = proposal.files.length;
  if (target.commit === proposal.base)
    return { ...base, head: target.commit, files, conflicts: [], tree: proposal.tree };
  const head = await fp("git.rehearse_head", () =>
    store.getAbove(proposal.base, source.id, target.commit, target.ref, remote),
  );
  // The base is no part of the branch any more: every file of the proposal stands against it.
  const touched = head === null ? proposal.files.map((file) => file.path) : conflicts(head, proposal);
  if (head === null || touched.length > 0)
    return { ...base, head: target.commit, files, conflicts: touched.slice(0, MAX_CONFLICTS), tree: null };
  const merged = await fp("git.rehearse_merge", () => buildFiles(head, proposal.files, proposal));
  return { ...base, head: target.commit, files, conflicts: [], tree: merged.tree };
};
