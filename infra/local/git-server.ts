import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createHash, timingSafeEqual } from "node:crypto";
import { mkdirSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { runGit, GIT_ENV } from "./git-command.ts";

export interface GitServerOptions {
  /** Folder that holds the bare repositories. */
  readonly root: string;
  /** 0 or absent = any free port. */
  readonly port?: number;
  /** Who may read and push, by Bearer token or by name and token. */
  readonly users: readonly { readonly name: string; readonly token: string }[];
  /** Told after each push that was handed to Git. */
  readonly onPush?: (repository: string) => void;
}

/** Switches for tests of what goes wrong on the way; all off at the start. */
export interface GitServerSwitches {
  /** Lets Git finish a push, then breaks the connection before its answer. */
  dropAfterPush: boolean;
  /** Breaks the connection when a push arrives, before Git sees it. */
  dropBeforePush: boolean;
  /** Answers each request only after this time, in milliseconds. */
  delayMs: number;
  /** Answers each push with this status. */
  refusePushWith: number | null;
}

export interface GitRepository {
  readonly name: string;
  /** The bare repository. */
  readonly directory: string;
  readonly url: string;
}

export interface GitServer {
  readonly url: string;
  readonly port: number;
  readonly switches: GitServerSwitches;
  /** Requests seen, newest last: method and path, for tests that count. */
  readonly requests: readonly string[];
  /** Makes an empty bare repository (or takes the one that is there) and serves it under `/<name>.git`. */
  createRepository(name: string): GitRepository;
  stop(): Promise<void>;
}

const REQUEST = /^\/([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** A real Git server over smart HTTP: a thin bridge from node:http to `git http-backend`, on loopback only. */
export const startGitServer = async (options: GitServerOptions): Promise<GitServer> => {
  mkdirSync(options.root, { recursive: true });
  const switches: GitServerSwitches = { dropAfterPush: false, dropBeforePush: false, delayMs: 0, refusePushWith: null };
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
    handle({ options, switches, request, response }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The Git server has no port.");
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    port: address.port,
    switches,
    requests,
    createRepository: (name) => createRepository(options.root, url, name),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const createRepository = (root: string, url: string, name: string): GitRepository => {
  if (!REQUEST.test(`/${name}.git/info/refs`)) throw new Error(`${name} is no name for a repository.`);
  const directory = path.join(root, `${name}.git`);
  runGit(["init", "--bare", "--quiet", "--initial-branch=main", directory]);
  for (const [key, value] of [
    ["http.receivepack", "true"],
    ["uploadpack.allowFilter", "true"],
    ["receive.fsckObjects", "true"],
  ] as const) {
    runGit(["-C", directory, "config", key, value]);
  }
  return { name, directory, url: `${url}/${name}.git` };
};

interface Exchange {
  readonly options: GitServerOptions;
  readonly switches: GitServerSwitches;
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
}

const handle = async ({ options, switches, request, response }: Exchange): Promise<void> => {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (switches.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, switches.delayMs));
  const user = userOf(request.headers.authorization, options.users);
  if (user === null) {
    response
      .writeHead(401, { "www-authenticate": 'Basic realm="git", charset="UTF-8"' })
      .end("Authentication required\n");
    return;
  }
  const match = REQUEST.exec(url.pathname);
  if (match === null) {
    response.writeHead(404).end("Not found\n");
    return;
  }
  const push = match[2] === "git-receive-pack";
  if (push && switches.dropBeforePush) {
    request.socket.destroy();
    return;
  }
  if (push && switches.refusePushWith !== null) {
    request.resume();
    response.writeHead(switches.refusePushWith).end("Refused\n");
    return;
  }
  const answer = await runBackend(options.root, url, user, request);
  if (push) options.onPush?.(match[1] ?? "");
  if (push && switches.dropAfterPush) {
    request.socket.destroy();
    return;
  }
  response.writeHead(answer.status, answer.headers).end(answer.body);
};

const userOf = (header: string | undefined, users: GitServerOptions["users"]): string | null => {
  const [scheme, value = ""] = (header ?? "").split(" ", 2);
  const fits = (expected: string, given: string): boolean =>
    timingSafeEqual(createHash("sha256").update(expected).digest(), createHash("sha256").update(given).digest());
  const given = scheme?.toLowerCase() === "basic" ? Buffer.from(value, "base64").toString("utf8") : value;
  const known = users.find((user) => {
    if (scheme?.toLowerCase() === "bearer") return fits(user.token, given);
    return scheme?.toLowerCase() === "basic" && fits(`${user.name}:${user.token}`, given);
  });
  return known?.name ?? null;
};

interface BackendAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const runBackend = async (
  root: string,
  url: URL,
  user: string,
  request: http.IncomingMessage,
): Promise<BackendAnswer> => {
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...GIT_ENV,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: user,
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  backend.stderr.resume();
  // A backend that refuses early stops reading; that is no failure of the bridge.
  backend.stdin.on("error", () => undefined);
  request.pipe(backend.stdin);
  return parseCgi(await output(backend));
};

const output = (backend: ChildProcessWithoutNullStreams): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    backend.stdout.on("data", (part: Buffer) => void parts.push(part));
    backend.once("error", reject);
    backend.once("close", () => resolve(Buffer.concat(parts)));
  });

const parseCgi = (bytes: Buffer): BackendAnswer => {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return { status: 502, headers: {}, body: Buffer.from("Git did not answer\n") };
  const headers: Record<string, string> = {};
  let status = 200;
  for (const entry of bytes.toString("latin1", 0, end).split("\r\n")) {
    const colon = entry.indexOf(":");
    const name = entry.slice(0, colon).toLowerCase();
    const value = entry.slice(colon + 1).trim();
    if (name === "status") status = Number.parseInt(value, 10);
    else headers[name] = value;
  }
  return { status, headers, body: bytes.subarray(end + 4) };
};
