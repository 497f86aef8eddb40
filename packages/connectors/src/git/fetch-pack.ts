import { fp } from "@aiw/platform/fault";
import { failOnStatus, type Advertisement } from "./advertisement.ts";
import { GitFailure } from "./failure.ts";
import { readPack, type PackedObject } from "./pack-reader.ts";
import { parseCommit } from "./objects.ts";
import { FLUSH, line, packets, sideBands, textOf } from "./pkt-line.ts";
import { exchange, type Remote } from "./transport.ts";

const AGENT = "agent=git/2.40.0-ai-workspace";

export type Pack = ReadonlyMap<string, PackedObject>;

/**
 * Fetches a commit with its files, `depth` commits deep, without history beyond that (GIT-2).
 * @throws GitFailure; a server that does not hand out `commit` fails with `source_protocol`.
 */
export const fetchCommit = async (
  remote: Remote,
  server: Advertisement,
  commit: string,
  depth: number,
): Promise<Pack> => {
  const wants = line(`want ${commit} ${wanted(server, ["shallow"])}\n`);
  const body = Buffer.concat([wants, line(`deepen ${depth}\n`), FLUSH, line("done\n")]);
  const answer = await post(remote, server, body);
  return readPack(answer.pack, remote.limits, remote.signal);
};

/**
 * Whether `base` is `head` or one of its ancestors (GIT-8). The server is told that we have `base`: what it then sends is
 * exactly the history between both, so that no depth has to be guessed. A base the server no longer has is not contained.
 */
export const contains = async (remote: Remote, server: Advertisement, head: string, base: string): Promise<boolean> => {
  if (head === base) return true;
  const filter = server.capabilities.has("filter");
  const wants = Buffer.concat([
    line(`want ${head} ${wanted(server, filter ? ["filter"] : [])}\n`),
    ...(filter ? [line("filter tree:0\n")] : []),
    FLUSH,
    line(`have ${base}\n`),
  ]);
  const probe = await post(remote, server, Buffer.concat([wants, FLUSH]));
  if (!probe.acknowledged.has(base)) return false;
  const answer = await post(remote, server, Buffer.concat([wants, line("done\n")]));
  return reaches(await readPack(answer.pack, remote.limits, remote.signal), head, base);
};

const reaches = (pack: Pack, head: string, base: string): boolean => {
  const seen = new Set<string>();
  const open = [head];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (oid === base) return true;
    const object = pack.get(oid);
    if (seen.has(oid) || object?.type !== "commit" || object.data === null) continue;
    seen.add(oid);
    open.push(...parseCommit(object.data).parents);
  }
  return false;
};

const wanted = (server: Advertisement, extra: readonly string[]): string =>
  ["side-band-64k", "ofs-delta", "no-progress", ...extra]
    .filter((word) => server.capabilities.has(word))
    .concat(AGENT)
    .join(" ");

interface UploadPackAnswer {
  readonly acknowledged: ReadonlySet<string>;
  readonly pack: Buffer;
}

const post = async (remote: Remote, server: Advertisement, body: Buffer): Promise<UploadPackAnswer> => {
  if (!server.capabilities.has("side-band-64k")) {
    throw new GitFailure("source_protocol", "The Git server is too old.");
  }
  const response = await fp("git.fetch", () =>
    exchange(remote, {
      url: new URL(`${server.base.href}/git-upload-pack`),
      method: "POST",
      headers: {
        "content-type": "application/x-git-upload-pack-request",
        accept: "application/x-git-upload-pack-result",
      },
      body,
      maxBytes: remote.limits.maxPackBytes,
      repeatable: true,
    }),
  );
  failOnStatus(response.status, "git-upload-pack");
  return parse(remote, response.body);
};

const parse = (remote: Remote, bytes: Buffer): UploadPackAnswer => {
  const stream = packets(bytes);
  const acknowledged = new Set<string>();
  for (;;) {
    const next = stream.next();
    if (next.done === true) return { acknowledged, pack: Buffer.alloc(0) };
    const text = next.value.kind === "data" && next.value.data.byteLength < 1000 ? textOf(next.value) : "";
    if (text.startsWith("ERR ")) throw new GitFailure("source_protocol", remote.clean(text.slice(4)));
    const ack = /^ACK ([0-9a-f]{40})/.exec(text)?.[1];
    if (ack !== undefined) acknowledged.add(ack);
    if (next.value.kind === "flush" || ack !== undefined || /^(NAK$|shallow |unshallow )/.test(text)) continue;
    const bands = sideBands(chain(next.value, stream));
    if (bands.fatal !== null) throw new GitFailure("source_protocol", remote.clean(bands.fatal));
    return { acknowledged, pack: bands.data };
  }
};

function* chain<T>(first: T, rest: Iterable<T>): Generator<T, void, undefined> {
  yield first;
  yield* rest;
}
