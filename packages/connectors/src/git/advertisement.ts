import { GitFailure } from "./failure.ts";
import { packets, textOf } from "./pkt-line.ts";
import { exchange, type GitResponse, type Remote } from "./transport.ts";

export type Service = "git-upload-pack" | "git-receive-pack";

/** What a server announces about a repository. */
export interface Advertisement {
  /** Address the requests go to; differs from the configured one after a redirect on the same host. */
  readonly base: URL;
  /** Full ref name -> commit (or tag) id. Names that Git itself would refuse are left out (N66). */
  readonly refs: ReadonlyMap<string, string>;
  readonly capabilities: ReadonlySet<string>;
  /** The ref `HEAD` points to, when the server says so. */
  readonly head: string | null;
}

const MAX_REDIRECTS = 3;
export const OID = /^[0-9a-f]{40}$/;

/**
 * Asks for the refs of a repository.
 * @throws GitFailure `source_unreachable`, `source_auth_failed`, `source_not_found`, `source_protocol`.
 */
export const discover = async (remote: Remote, service: Service): Promise<Advertisement> => {
  let url = new URL(`${remote.url.href}/info/refs?service=${service}`);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await exchange(remote, {
      url,
      method: "GET",
      headers: { accept: "*/*" },
      maxBytes: remote.limits.maxAdvertisementBytes,
      repeatable: true,
    });
    const next = redirected(url, response);
    if (next === null) return parse(remote, service, url, response);
    url = next;
  }
  throw new GitFailure("source_protocol", "The server redirects without end.");
};

/** Only within the same origin: elsewhere the credentials have no business (SRC-3). */
const redirected = (from: URL, response: GitResponse): URL | null => {
  if (response.status < 300 || response.status > 399) return null;
  if (response.location === null || !URL.canParse(response.location, from.href)) {
    throw new GitFailure("source_protocol", "The server redirects to no valid address.");
  }
  const target = new URL(response.location, from.href);
  if (target.origin !== from.origin || target.username !== "" || target.password !== "") {
    throw new GitFailure("source_protocol", `The server redirects to another host (${target.host}).`);
  }
  if (!target.pathname.endsWith("/info/refs")) {
    throw new GitFailure("source_auth_failed", "The server redirects to a page that is no Git repository.");
  }
  return target;
};

const parse = (remote: Remote, service: Service, url: URL, response: GitResponse): Advertisement => {
  failOnStatus(response.status, service);
  if (!response.contentType.startsWith(`application/x-${service}-advertisement`)) {
    throw new GitFailure("source_protocol", "The server did not answer as a Git server.");
  }
  const base = new URL(url.href);
  base.search = "";
  base.pathname = base.pathname.slice(0, -"/info/refs".length);
  const refs = new Map<string, string>();
  let capabilities = new Set<string>();
  let first = true;
  for (const packet of packets(response.body)) {
    const text = textOf(packet);
    if (packet.kind === "flush" || text.startsWith("# service=")) continue;
    if (text.startsWith("ERR ")) throw new GitFailure("source_not_found", remote.clean(text.slice(4)));
    const [entry = "", tail] = text.split("\0");
    if (first) capabilities = new Set((tail ?? "").split(" ").filter((word) => word !== ""));
    first = false;
    const oid = entry.slice(0, 40);
    const name = entry.slice(41);
    if (OID.test(oid) && isRefName(name)) refs.set(name, oid);
  }
  if (capabilities.has("object-format=sha256")) {
    throw new GitFailure("source_protocol", "Repositories in the SHA-256 object format are not supported.");
  }
  return { base, refs, capabilities, head: headOf(capabilities) };
};

const headOf = (capabilities: ReadonlySet<string>): string | null => {
  for (const word of capabilities) {
    if (!word.startsWith("symref=HEAD:")) continue;
    const target = word.slice("symref=HEAD:".length);
    return isRefName(target) ? target : null;
  }
  return null;
};

/** Words the status of a Git request. @throws GitFailure for everything but 200. */
export const failOnStatus = (status: number, service: Service): void => {
  if (status === 200) return;
  if (status === 401) throw new GitFailure("source_auth_failed", "The server refused the credentials (401).");
  if (status === 403) {
    const code = service === "git-receive-pack" ? "source_read_only" : "source_auth_failed";
    throw new GitFailure(code, "The server does not allow this with these credentials (403).");
  }
  if (status === 404 || status === 410) {
    throw new GitFailure(
      "source_not_found",
      `There is no such repository, or these credentials may not see it (${status}).`,
    );
  }
  if (status >= 500) {
    throw new GitFailure("source_unreachable", `The server answered with an error (${status}).`, { sent: true });
  }
  throw new GitFailure("source_protocol", `The server did not answer as a Git server (${status}).`);
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
