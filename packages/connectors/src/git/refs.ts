import git from "isomorphic-git";
import { GitFailure, asGitFailure } from "./failure.ts";
import { gitHttp, type Service } from "./http-client.ts";
import type { Remote } from "./remote.ts";
import { fp } from "@aiw/platform/fault";

const OID = /^[0-9a-f]{40}$/;
const HEADS = "refs/heads/";

/** A ref of the server; names that Git itself would refuse are left out (N66). */
export interface ServerRef {
  readonly name: string;
  readonly oid: string;
  /** The ref it points to, for `HEAD`. */
  readonly target: string | null;
}

/**
 * Asks the server for the refs whose names begin with `prefix`.
 * @throws GitFailure `source_unreachable`, `source_auth_failed`, `source_not_found`, `source_protocol`.
 */
export const listRefs = async (
  remote: Remote,
  prefix: string,
  service: Service = "git-upload-pack",
): Promise<readonly ServerRef[]> => {
  const http = gitHttp(remote, { maxPostBytes: remote.limits.maxAdvertisementBytes });
  const found = await serverRefs(remote, prefix, service, http);
  if (found.some(({ oid }) => oid.length === 64)) {
    throw new GitFailure("source_protocol", "Repositories in the SHA-256 object format are not supported.");
  }
  // An error of the second version of the protocol is a line of its own among the refs.
  if (found.some(({ oid }) => oid === "ERR")) {
    throw new GitFailure("source_not_found", "The server does not list this repository.");
  }
  return found
    .filter(({ ref, oid }) => OID.test(oid) && isRefName(ref) && ref.startsWith(prefix))
    .map(({ ref, oid, target }) => ({
      name: ref,
      oid,
      target: target !== undefined && isRefName(target) ? target : null,
    }));
};

const serverRefs = async (remote: Remote, prefix: string, service: Service, http: ReturnType<typeof gitHttp>) => {
  const forPush = service === "git-receive-pack";
  try {
    const found = await fp("git.list_refs", () =>
      git.listServerRefs({
        http,
        url: remote.url.href,
        prefix,
        symrefs: true,
        forPush,
        // Servers speak the second version, which can filter, for reading alone.
        protocolVersion: forPush ? 1 : 2,
      }),
    );
    http.assertComplete();
    return found;
  } catch (error) {
    throw asGitFailure(error, remote.clean);
  }
};

/** The commit of one ref, null when the server does not have it. */
export const commitOf = async (remote: Remote, ref: string): Promise<string | null> => {
  const found = await listRefs(remote, ref);
  return found.find(({ name }) => name === ref)?.oid ?? null;
};

export interface Target {
  /** Full name of the branch proposals aim at. */
  readonly ref: string;
  readonly commit: string;
}

/**
 * The configured branch, or the one the server calls its default.
 * @throws GitFailure `source_empty`, `source_branch_missing`, and those of `listRefs`.
 */
export const findTarget = async (remote: Remote, branch: string | null): Promise<Target> => {
  const wanted = branch === null ? "HEAD" : `${HEADS}${branch}`;
  const found = (await listRefs(remote, wanted)).find(({ name }) => name === wanted);
  if (found !== undefined && branch !== null) return { ref: wanted, commit: found.oid };
  if (found?.target?.startsWith(HEADS) === true) return { ref: found.target, commit: found.oid };
  const branches = await listRefs(remote, HEADS);
  if (branches.length === 0) throw new GitFailure("source_empty", "The repository is empty.");
  const target = branch === null ? fallback(branches, found?.oid) : undefined;
  if (target === undefined) {
    throw new GitFailure("source_branch_missing", `The repository has no branch ${branch ?? "named as its default"}.`);
  }
  return { ref: target.name, commit: target.oid };
};

/** Where HEAD names no branch that is there: the only branch, or a usual name with HEAD's commit. */
const fallback = (branches: readonly ServerRef[], head: string | undefined): ServerRef | undefined => {
  if (head === undefined) return branches.length === 1 ? branches[0] : undefined;
  const same = branches.filter(({ oid }) => oid === head);
  const usual = [`${HEADS}main`, `${HEADS}master`].map((usualName) => same.find(({ name }) => name === usualName));
  return usual.find((one) => one !== undefined) ?? same[0];
};

/** Git's own rules for ref names (check-ref-format), for `HEAD` and names below `refs/`. */
export const isRefName = (name: string): boolean => {
  if (name === "HEAD") return true;
  if (!name.startsWith("refs/") || name.length > 1024) return false;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(name)) return false;
  return name
    .split("/")
    .every((part) => part !== "" && !part.startsWith(".") && !part.startsWith("-") && !part.endsWith(".lock"));
};
