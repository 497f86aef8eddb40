import git from "isomorphic-git";
import { FaultError, fp } from "@aiw/platform/fault";
import { addBaseTrees, type BuiltCommit } from "./commit-build.ts";
import { GitFailure, asGitFailure } from "./failure.ts";
import { gitHttp, type GitHttp } from "./http-client.ts";
import type { Remote } from "./remote.ts";
import type { Snapshot } from "./snapshot.ts";

const ABSENT = "0".repeat(40);
const ORIGIN = "origin";
/** What a server may say about a push. */
const MAX_REPORT_BYTES = 1024 * 1024;

export type PushOutcome =
  | { readonly kind: "done" }
  /** The branch is there already; nothing was sent. */
  | { readonly kind: "exists"; readonly commit: string }
  /** The server said no; `reason` is its own text, cleaned, untrusted. */
  | { readonly kind: "declined"; readonly reason: string }
  /** It may or may not have happened. */
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * Creates a branch that must not exist yet: the old value sent is zero, so that the server itself refuses when somebody
 * was faster (F25). Sends only the objects that `base` does not have. Nothing is ever forced.
 * @throws GitFailure when certainly nothing reached the server, or when it refused the request as a whole.
 */
export const createBranch = async (
  remote: Remote,
  branch: string,
  built: BuiltCommit,
  base: Snapshot,
): Promise<PushOutcome> => {
  if (!branch.startsWith("refs/heads/ai/")) throw new GitFailure("source_read_only", "Only branches ai/ are written.");
  await fp("git.pushable", () => makePushable(branch, built, base));
  const progress: Progress = { isPosting: false, isAnswered: false, there: null, said: [] };
  const http = gitHttp(remote, {
    maxPostBytes: MAX_REPORT_BYTES,
    onAdvertisement: withoutThinRule,
    aroundPush: async (send) => {
      progress.isPosting = true;
      const response = await fp("git.push", send);
      progress.isAnswered = true;
      return response;
    },
  });
  try {
    return await fp("git.deliver", () => push(remote, branch, built, http, progress));
  } catch (error) {
    return await outcomeOf(error, branch, remote, progress);
  }
};

interface Progress {
  /** The request that changes something was begun. */
  isPosting: boolean;
  /** The server took it and answered. */
  isAnswered: boolean;
  /** Commit of the branch, when it exists already. */
  there: string | null;
  readonly said: string[];
}

/**
 * Prepares what the library looks at when it decides what to send: the new commit under its branch, the base as the end
 * of history, and the base's directories as what the server's default branch is known to have.
 */
const makePushable = async (branch: string, { repository, commit }: BuiltCommit, base: Snapshot): Promise<void> => {
  const { fs, gitdir } = repository;
  await addBaseTrees(repository, base);
  await git.writeRef({ ...repository, ref: branch, value: commit });
  await git.writeRef({ ...repository, ref: `refs/remotes/${ORIGIN}/HEAD`, value: base.head.tree });
  await fs.promises.writeFile(`${gitdir}/shallow`, `${commit}\n`);
};

/** The library sends all files to a server that wants no thin packs; its packs have no deltas and so are never thin. */
const withoutThinRule = (body: Buffer): Buffer =>
  Buffer.from(body.toString("latin1").replace(/ no-thin(?=[ \n])/, " is-thin"), "latin1");

const push = async (
  remote: Remote,
  branch: string,
  { repository }: BuiltCommit,
  http: GitHttp,
  progress: Progress,
): Promise<PushOutcome> => {
  const { refs } = await git.push({
    ...repository,
    http,
    url: remote.url.href,
    remote: ORIGIN,
    ref: branch,
    remoteRef: branch,
    onPrePush: ({ remoteRef }) => {
      if (remoteRef.oid === ABSENT) return true;
      progress.there = remoteRef.oid;
      return false;
    },
    onMessage: (text) => void progress.said.push(text),
  });
  if (refs[branch]?.ok === true) return { kind: "done" };
  return { kind: "unknown", reason: "The server did not report what became of the push." };
};

const outcomeOf = async (error: unknown, branch: string, remote: Remote, progress: Progress): Promise<PushOutcome> => {
  if (error instanceof FaultError) throw error;
  if (progress.there !== null) return { kind: "exists", commit: progress.there };
  // What the server says beside its report is handed out one turn later.
  await new Promise<void>((resolve) => setImmediate(resolve));
  const said = remote.clean(progress.said.join("\n"));
  if (error instanceof git.Errors.GitPushError) {
    const { refs, error: unpack } = error.data.result;
    return { kind: "declined", reason: reasonOf(remote.clean(refs[branch]?.error ?? unpack ?? ""), said) };
  }
  if (progress.isAnswered) {
    return { kind: "unknown", reason: reasonOf("The server's answer to the push cannot be read.", said) };
  }
  const failure = asGitFailure(error, remote.clean);
  // A clear no of the server is certain; what broke off after the connection stood is not (RUN-7).
  const isCertain = !failure.sent || failure.code === "source_auth_failed" || failure.code === "source_read_only";
  if (progress.isPosting && !isCertain) return { kind: "unknown", reason: failure.detail };
  throw failure;
};

const reasonOf = (status: string, said: string): string => (said === "" ? status : `${status}: ${said}`);
