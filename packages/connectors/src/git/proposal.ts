import { z } from "zod";
import { commitSha } from "@aiw/contract/ids";
import type { JsonObject } from "@aiw/contract/tools";
import { buildCommit, type BuiltCommit } from "./commit-build.ts";
import type { FileChange } from "./change.ts";
import type { Snapshot } from "./snapshot.ts";

export const FORM_VERSION = 1;

/** The only refs this product ever writes (GIT-10, N66). */
const OWN_BRANCH = /^refs\/heads\/ai\/[0-9a-f]{12}-[0-9a-f]{12}$/;

const frozenFile = z.strictObject({
  path: z.string(),
  mode: z.string().regex(/^(100[0-7]{3}|120000)$/),
  /** Blob at the base; null for a new file. */
  oldOid: commitSha.nullable(),
  /** Whole new content; null deletes. */
  content: z.string().nullable(),
});

const formSchema = z.strictObject({
  formVersion: z.literal(FORM_VERSION),
  sourceId: z.string(),
  /** Where it is pushed: a source that was pointed elsewhere since does not get it. */
  url: z.string(),
  base: commitSha,
  /** Full name of the branch the proposal is meant for. */
  target: z.string(),
  branch: z.string().regex(OWN_BRANCH),
  message: z.string(),
  /** Author's and committer's time, whole seconds since 1970, offset 0. */
  time: z.int(),
  tree: commitSha,
  commit: commitSha,
  files: z.array(frozenFile).min(1),
});

/** The frozen form of `propose_change` (APR-2): all that the push needs, and all that the decision binds. */
export type Proposal = z.infer<typeof formSchema>;

/** @returns null for a text that is not a form of this version. */
export const parseForm = (form: string): Proposal | null => {
  try {
    return formSchema.parse(JSON.parse(form));
  } catch {
    return null;
  }
};

export const preconditionsOf = (proposal: Proposal): JsonObject => ({
  base: proposal.base,
  target: proposal.target,
  branch: proposal.branch,
});

/**
 * `ai/<run>-<commit>`: the first 12 hex digits of a run id are its time in milliseconds, which sorts branches by run; the
 * commit beside it makes the name unique, since the run's whole id stands in the commit's message.
 */
const branchName = (runId: string, commit: string): string =>
  `refs/heads/ai/${runId.replaceAll("-", "").slice(0, 12)}-${commit.slice(0, 12)}`;

export const freeze = async (
  snapshot: Snapshot,
  changes: readonly FileChange[],
  about: {
    readonly runId: string;
    readonly sourceId: string;
    readonly url: string;
    readonly target: string;
    readonly title: string;
    readonly description: string;
  },
): Promise<Proposal> => {
  const files = changes.map(({ path, old, content }) => ({
    path,
    mode: old?.mode ?? "100644",
    oldOid: old?.oid ?? null,
    content,
  }));
  const message = commitMessage(about.title, about.description, about.runId);
  const time = snapshot.head.time + 1;
  const built = await buildFiles(snapshot, files, { message, time });
  return {
    formVersion: FORM_VERSION,
    sourceId: about.sourceId,
    url: about.url,
    base: snapshot.head.commit,
    target: about.target,
    branch: branchName(about.runId, built.commit),
    message,
    time,
    tree: built.tree,
    commit: built.commit,
    files,
  };
};

/**
 * Builds the commit of a frozen form again. @returns null when it is not the very commit that was approved, or when
 * the base does not hold what the form says it holds.
 */
export const rebuild = async (snapshot: Snapshot, proposal: Proposal): Promise<BuiltCommit | null> => {
  if (snapshot.head.commit !== proposal.base || snapshot.head.time + 1 !== proposal.time) return null;
  const same = proposal.files.every((file) => (snapshot.files.get(file.path)?.oid ?? null) === file.oldOid);
  if (!same) return null;
  const built = await buildFiles(snapshot, proposal.files, proposal);
  return built.commit === proposal.commit && built.tree === proposal.tree ? built : null;
};

/** The commit with these files on top of a snapshot's. */
export const buildFiles = (
  snapshot: Snapshot,
  files: Proposal["files"],
  meta: { readonly message: string; readonly time: number },
): Promise<BuiltCommit> =>
  buildCommit(
    snapshot,
    files.map(({ path, mode, content }) => ({ path, mode, content: content === null ? null : Buffer.from(content) })),
    meta,
  );

const commitMessage = (title: string, description: string, runId: string): string => {
  const subject = plain(title).replace(/\s+/g, " ").trim();
  const body = plain(description)
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return [subject, ...(body === "" ? [] : ["", body]), "", `AI-Workspace-Run: ${runId}`, ""].join("\n");
};

// oxlint-disable-next-line no-control-regex -- control characters are what is taken out
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const plain = (text: string): string => text.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROL, "");

/** Whether a file at another commit is still what the proposal was made from. */
export const untouched = (head: Snapshot, file: Proposal["files"][number]): boolean => {
  const there = head.files.get(file.path);
  return file.oldOid === null ? there === undefined : there?.oid === file.oldOid && there.mode === file.mode;
};
