import git from "isomorphic-git";
import { GitFailure, asGitFailure } from "./failure.ts";
import type { FetchAnswer, FetchOrder } from "./fetch-order.ts";
import { gitHttp } from "./http-client.ts";
import { emptyRepository } from "./memory-repository.ts";
import { ObjectReader } from "./object-reader.ts";
import { checkPack } from "./pack-check.ts";
import type { GitEgress } from "./remote.ts";
import { encodeSnapshot } from "./snapshot.ts";
import { buildSnapshot } from "./snapshot-build.ts";

/** Every commit there is. */
const UNLIMITED = 2_147_483_647;
/** Depths tried for a commit that is no longer the head and that the server does not hand out by its id. */
const SEARCH_DEPTHS = [64, 1024];
/** Depths tried for the way from one commit to another. */
const HISTORY_DEPTHS = [50, 1000, UNLIMITED];
/** The local name of the commit fetched last: what the server is told we have. */
const KNOWN = "refs/heads/known";
const ORIGIN = "origin";
const OID = /^[0-9a-f]{40}$/;

/**
 * Does what a fetching process is asked, in memory.
 * @throws GitFailure
 */
export const runFetch = async (order: FetchOrder, egress: GitEgress): Promise<FetchAnswer> => {
  const source = await openSource(order, egress);
  const { job } = order;
  if (job.kind === "contains") return { kind: "contains", contained: await contains(source, job.head, job.base) };
  if (job.base === null) await fetchCommit(source, job.commit, job.branch);
  else if (!(await contains(source, job.commit, job.base))) return { kind: "contains", contained: false };
  const snapshot = await buildSnapshot(source.reader, job.commit, order.limits);
  return { kind: "snapshot", bytes: encodeSnapshot(snapshot) };
};

interface Source {
  readonly reader: ObjectReader;
  /** Brings a commit, `depth` commits deep, or the head of a branch; answers with the commit's id. */
  fetch(wanted: string, depth: number): Promise<string | null>;
}

const openSource = async (order: FetchOrder, egress: GitEgress): Promise<Source> => {
  const { limits, authorization, ca } = order;
  // Deadline and cancelling are the parent's, which ends this process.
  const remote = { url: new URL(order.url), authorization, ca, limits, egress, signal: new AbortController().signal };
  const repository = await emptyRepository(async (path, bytes) => {
    if (path.endsWith(".pack")) await checkPack(bytes, limits);
  });
  await git.addRemote({ ...repository, remote: ORIGIN, url: order.url });
  const reader = new ObjectReader(repository);
  const known = new Set<string>();
  const fetch = async (wanted: string, depth: number): Promise<string | null> => {
    const onAdvertisement = (body: Buffer): Buffer => withHead(body, wanted);
    const http = gitHttp(remote, { maxPostBytes: limits.maxPackBytes, onAdvertisement });
    const ref = known.size > 0 ? KNOWN : wanted;
    const shape = { depth, singleBranch: true, tags: false };
    try {
      const { fetchHead } = await git.fetch({
        ...repository,
        ...shape,
        http,
        cache: reader.cache,
        remote: ORIGIN,
        ref,
        remoteRef: wanted,
      });
      http.assertComplete();
      if (fetchHead === null || !(await reader.has(fetchHead))) return null;
      known.add(fetchHead);
      await git.writeRef({ ...repository, ref: KNOWN, value: fetchHead, force: true });
      return fetchHead;
    } catch (error) {
      throw asGitFailure(error, (text) => text);
    }
  };
  return { reader, fetch };
};

const fetchCommit = async (source: Source, commit: string, branch: string): Promise<void> => {
  if ((await source.fetch(commit, 1)) !== null) return;
  for (const depth of SEARCH_DEPTHS) {
    await source.fetch(branch, depth);
    if (await source.reader.has(commit)) return;
  }
  throw new GitFailure("source_protocol", "The server does not have the pinned commit any more.");
};

/** GIT-8. Deepens until the base shows or there is nothing deeper; a base the server no longer has is not contained. */
const contains = async ({ reader, fetch }: Source, head: string, base: string): Promise<boolean> => {
  for (const depth of HISTORY_DEPTHS) {
    await fetch(head, depth);
    if (await reader.isDescendent(head, base)) return true;
    if (!(await reader.isShallow())) return false;
  }
  return false;
};

/**
 * The library gives up on a repository whose HEAD leads nowhere (`master` announced, `main` pushed), although it asks for
 * something else. Such a server is read as if HEAD were what is wanted: one more line of 50 bytes before the list's end.
 */
const withHead = (body: Buffer, wanted: string): Buffer => {
  const text = body.toString("latin1");
  const at = Math.max(text.indexOf(` ${wanted}\n`), text.indexOf(` ${wanted}\0`), 40);
  const oid = OID.test(wanted) ? wanted : text.slice(at - 40, at);
  if (!text.endsWith("0000") || / HEAD[\0\n]/.test(text) || !OID.test(oid)) return body;
  return Buffer.concat([body.subarray(0, -4), Buffer.from(`0032${oid} HEAD\n0000`)]);
};
