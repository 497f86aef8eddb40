import http from "node:http";
import https from "node:https";
import { GitFailure } from "./failure.ts";
import type { GitEgress, Remote } from "./remote.ts";
import { fp } from "@aiw/platform/fault";

export interface GitRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxBytes: number;
  /** Asking twice does no harm: a kept connection that turns out to be closed is then replaced once. */
  readonly repeatable: boolean;
}

export interface GitResponse {
  readonly status: number;
  readonly contentType: string;
  readonly location: string | null;
  readonly parts: readonly Buffer[];
}

type Asked = Pick<Remote, "authorization" | "egress" | "signal" | "limits" | "ca">;

/**
 * One HTTP exchange with the Git server: bounded in bytes and in silence, never follows a redirect, ends with the signal.
 * @throws GitFailure `source_host_not_allowed`, `source_unreachable` (with `sent`) or `source_too_large`.
 */
export const exchange = async (remote: Asked, request: GitRequest): Promise<GitResponse> => {
  const url = checked(remote.egress, request.url);
  if (remote.signal.aborted) throw unreachable(url, "was not asked because the time was over", false);
  try {
    return await fp("git.exchange", () => once(remote, url, request));
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return await fp("git.exchange_again", () => once(remote, url, request));
  }
};

class StaleConnection extends Error {}

const once = (remote: Asked, url: URL, request: GitRequest): Promise<GitResponse> =>
  new Promise((resolve, reject) => {
    const progress = { sent: false };
    const fail = (failure: GitFailure): void => {
      outgoing.destroy();
      reject(failure);
    };
    const outgoing = open(remote, url, request);
    outgoing.on("socket", (socket) => {
      const connected = (): void => void (progress.sent = true);
      if (!socket.connecting) return connected();
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", connected);
    });
    outgoing.setTimeout(remote.limits.idleMs, () => fail(unreachable(url, "did not answer in time", progress.sent)));
    outgoing.on("error", (error) => {
      const stale = outgoing.reusedSocket && request.repeatable && !remote.signal.aborted;
      reject(stale ? new StaleConnection() : asFailure(url, error, progress.sent));
    });
    outgoing.on("response", (incoming) => {
      collect(incoming, request.maxBytes).then(
        (parts) => resolve(response(incoming, parts)),
        (error: unknown) => fail(asFailure(url, error, true)),
      );
    });
    outgoing.end(request.body);
  });

const open = (remote: Asked, url: URL, request: GitRequest): http.ClientRequest => {
  const secure = url.protocol === "https:";
  const agents = remote.egress.agents();
  const options = {
    method: request.method,
    signal: remote.signal,
    agent: secure ? agents.https : agents.http,
    headers: {
      ...request.headers,
      "user-agent": "git/2.40.0 (ai-workspace)",
      ...(request.body === undefined ? {} : { "content-length": String(request.body.byteLength) }),
      ...(remote.authorization === null ? {} : { authorization: remote.authorization }),
    },
  };
  if (!secure) return http.request(url, options);
  return https.request(url, remote.ca === undefined ? options : { ...options, ca: remote.ca });
};

const collect = async (incoming: http.IncomingMessage, maxBytes: number): Promise<Buffer[]> => {
  const parts: Buffer[] = [];
  let total = 0;
  for await (const part of incoming) {
    const bytes: Buffer = part;
    total += bytes.byteLength;
    if (total > maxBytes) {
      throw new GitFailure("source_too_large", `The server sent more than ${maxBytes} bytes.`, { sent: true });
    }
    parts.push(bytes);
  }
  return parts;
};

const response = (incoming: http.IncomingMessage, parts: readonly Buffer[]): GitResponse => ({
  status: incoming.statusCode ?? 0,
  contentType: incoming.headers["content-type"] ?? "",
  location: incoming.headers.location ?? null,
  parts,
});

/** Applies the allowlist; a refusal never leaves the process. */
const checked = (egress: GitEgress, url: URL): URL => {
  try {
    return egress.check(url.href);
  } catch (cause) {
    throw new GitFailure("source_host_not_allowed", `${url.host} is not an allowed host.`, { cause });
  }
};

const unreachable = (url: URL, what: string, sent: boolean, cause?: unknown): GitFailure =>
  new GitFailure("source_unreachable", `${url.host} ${what}.`, { sent, cause });

const asFailure = (url: URL, error: unknown, sent: boolean): GitFailure => {
  if (error instanceof GitFailure) return error;
  if (!(error instanceof Error)) return unreachable(url, "cannot be reached", sent);
  // The egress guard refuses an address while connecting: that is a matter of the allowlist, not of the network.
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error.name === "EgressError" && code.endsWith("_not_allowed")) {
    return new GitFailure("source_host_not_allowed", `${url.host} is not an allowed host.`, { cause: error });
  }
  if (error.name === "AbortError") return unreachable(url, "was given up because the time was over", sent, error);
  return unreachable(url, code === "" ? "cannot be reached" : `cannot be reached (${code})`, sent, error);
};
