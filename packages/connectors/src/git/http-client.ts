import type { GitHttpRequest, GitHttpResponse, HttpClient } from "isomorphic-git";
import { exchange, type GitResponse } from "./exchange.ts";
import { GitFailure } from "./failure.ts";
import type { Remote } from "./remote.ts";

export type Service = "git-upload-pack" | "git-receive-pack";

export interface HttpSettings {
  /** Bytes the answer to a POST may have. */
  readonly maxPostBytes: number;
  /** Runs around the one request that must not be repeated: the POST of a push. */
  readonly aroundPush?: (send: () => Promise<GitResponse>) => Promise<GitResponse>;
  /** May complete what the server announces before the library reads it. */
  readonly onAdvertisement?: (body: Buffer) => Buffer;
}

/** An HTTP client in the form the Git library asks for, for one call. */
export interface GitHttp extends HttpClient {
  /** The library takes a list that breaks off in the middle for a short one. @throws GitFailure `source_protocol` */
  assertComplete(): void;
}

export type HttpRemote = Pick<Remote, "url" | "authorization" | "egress" | "signal" | "limits" | "ca">;

const MAX_REDIRECTS = 3;

/**
 * Sends what the library wants sent, over the guarded connections of `remote`. Credentials are added here and never given
 * to the library; the status is judged here; whole answers are handed over, so that what breaks off fails at its request.
 * A redirect is followed for the first request alone, on the same origin (a renamed repository), and then kept.
 * Requests throw GitFailure.
 */
export const gitHttp = (remote: HttpRemote, settings: HttpSettings): GitHttp => {
  const answers: Answer[] = [];
  const home = remote.url.href;
  let base = home;

  const discover = async (service: Service, rest: string, headers: Record<string, string>): Promise<Answer> => {
    let url = new URL(`${base}${rest}`);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const maxBytes = remote.limits.maxAdvertisementBytes;
      const response = await exchange(remote, { url, method: "GET", headers, maxBytes, repeatable: true });
      const next = redirected(url, response);
      if (next === null) {
        base = `${url.origin}${url.pathname.slice(0, -INFO_REFS.length)}`;
        return advertisement(response, service);
      }
      url = next;
    }
    throw new GitFailure("source_protocol", "The server redirects without end.");
  };

  const advertisement = (response: GitResponse, service: Service): Answer => {
    failOnStatus(response.status, service);
    if (!response.contentType.startsWith(`application/x-${service}-advertisement`)) {
      throw new GitFailure("source_protocol", "The server did not answer as a Git server.");
    }
    if (settings.onAdvertisement === undefined) return new Answer(response.parts);
    return new Answer([settings.onAdvertisement(Buffer.concat(response.parts))]);
  };

  const post = async (service: Service, rest: string, headers: Record<string, string>, body: Buffer) => {
    const push = service === "git-receive-pack";
    const send = async (): Promise<GitResponse> => {
      const url = new URL(`${base}${rest}`);
      const maxBytes = settings.maxPostBytes;
      const response = await exchange(remote, { url, method: "POST", headers, body, maxBytes, repeatable: !push });
      failOnStatus(response.status, service);
      return response;
    };
    const { parts } = await (push && settings.aroundPush !== undefined ? settings.aroundPush(send) : send());
    return new Answer(parts);
  };

  const request = async ({ url, method, headers = {}, body }: GitHttpRequest): Promise<GitHttpResponse> => {
    if (!url.startsWith(`${home}/`)) throw new GitFailure("source_protocol", "A request left the repository.");
    const rest = url.slice(home.length);
    const service = rest.includes("git-receive-pack") ? "git-receive-pack" : "git-upload-pack";
    const answer =
      method === "POST"
        ? await post(service, rest, headers, await bytesOf(body))
        : await discover(service, rest, headers);
    answers.push(answer);
    const contentType = `application/x-${service}-${method === "POST" ? "result" : "advertisement"}`;
    return { url, statusCode: 200, statusMessage: "OK", headers: { "content-type": contentType }, body: answer };
  };

  const assertComplete = (): void => {
    const broken = answers.find((answer) => answer.error !== undefined);
    if (broken !== undefined) {
      throw new GitFailure("source_protocol", "The server's answer breaks off.", { cause: broken.error });
    }
  };
  return { request, assertComplete };
};

/** A whole answer, read piece by piece. The library notes on it why it stopped reading. */
class Answer implements AsyncIterableIterator<Uint8Array> {
  error: unknown = undefined;
  private readonly parts: Iterator<Uint8Array>;
  constructor(parts: Iterable<Uint8Array>) {
    this.parts = parts[Symbol.iterator]();
  }
  async next(): Promise<IteratorResult<Uint8Array>> {
    return this.parts.next();
  }
  [Symbol.asyncIterator](): this {
    return this;
  }
}

const bytesOf = async (body: GitHttpRequest["body"]): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for await (const part of body ?? []) parts.push(part);
  return Buffer.concat(parts);
};

const INFO_REFS = "/info/refs";

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
  if (!target.pathname.endsWith(INFO_REFS)) {
    throw new GitFailure("source_auth_failed", "The server redirects to a page that is no Git repository.");
  }
  return target;
};

/** Words the status of a Git request. @throws GitFailure for everything but 200. */
const failOnStatus = (status: number, service: Service): void => {
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
  if (status === 413) throw new GitFailure("source_too_large", "The change is too large for the server (413).");
  if (status >= 500) {
    throw new GitFailure("source_unreachable", `The server answered with an error (${status}).`, { sent: true });
  }
  throw new GitFailure("source_protocol", `The server did not answer as a Git server (${status}).`);
};
