import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createGitConnector, type GitLimits } from "@aiw/connectors/git";
import type { CallContext, Connector, Prepared, SourceAccess } from "@aiw/connectors/connector";
import { sealAuthorisedCall, type AuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject } from "@aiw/contract/tools";
import { runGit } from "@aiw/infra/local/git-command";
import { startGitServer, type GitRepository, type GitServer } from "@aiw/infra/local/git-server";

export const TOKEN = "tkn-7d5c0b2e9f";
export const RUN_ID = "0199a1b2-c3d4-7000-8000-000000000001";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface GitFixture {
  readonly server: GitServer;
  readonly directory: string;
  /** Objects as object storage would hold them. */
  readonly stored: Map<string, Uint8Array>;
  /** A connector with an empty memory; `stored` is shared, as the bucket is between processes. */
  connector(limits?: Partial<GitLimits>): Connector;
  /** A repository with one commit on main. */
  repository(name: string, files: Files): GitRepository;
  stop(): Promise<void>;
}

export const startGitFixture = async (): Promise<GitFixture> => {
  const directory = mkdtempSync(path.join(tmpdir(), "git-flow-"));
  const server = await startGitServer({
    root: path.join(directory, "served"),
    users: [{ name: "robot", token: TOKEN }],
  });
  const stored = new Map<string, Uint8Array>();
  const egress = { allowedHosts: [`127.0.0.1:${server.port}`, "127.0.0.1:1"], allowLocal: true };
  const bucket = {
    put: async (key: string, bytes: Uint8Array) => void stored.set(key, bytes),
    get: async (key: string) => stored.get(key) ?? null,
  };
  return {
    server,
    directory,
    stored,
    connector: (limits = {}) => createGitConnector({ egress, bucket, limits }),
    repository: (name, files) => {
      const repository = server.createRepository(name);
      commitFiles(repository.directory, files, "Start");
      return repository;
    },
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

let clock = 1_770_000_000;

/** Commits whole files (null deletes) on top of a branch with native git. */
export const commitFiles = (
  directory: string,
  files: Readonly<Record<string, string | Uint8Array | null>>,
  message: string,
  branch = "refs/heads/main",
): string => {
  clock += 60;
  const who = `Maintainer <maintainer@orders.example> ${clock} +0100`;
  const data = (bytes: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from(`data ${bytes.byteLength}\n`), bytes, Buffer.from("\n")]);
  const parent = resolve(directory, branch);
  const stream = Buffer.concat([
    Buffer.from(`commit ${branch}\nauthor ${who}\ncommitter ${who}\n`),
    data(Buffer.from(message)),
    Buffer.from(parent === null ? "" : `from ${parent}\n`),
    ...Object.entries(files).map(([name, content]) =>
      content === null
        ? Buffer.from(`D ${name}\n`)
        : Buffer.concat([Buffer.from(`M 100644 inline ${name}\n`), data(Buffer.from(content))]),
    ),
  ]);
  runGit(["-C", directory, "fast-import", "--quiet", "--force"], stream);
  return resolve(directory, branch) ?? "";
};

export const resolve = (directory: string, ref: string): string | null =>
  runGit(["-C", directory, "for-each-ref", "--format=%(objectname)", ref]).trim() || null;

export const refsOf = (directory: string): string[] =>
  runGit(["-C", directory, "for-each-ref", "--format=%(refname)"]).trim().split("\n");

export const sourceOf = (
  repository: { readonly url: string; readonly name: string },
  over: Partial<SourceAccess> = {},
): SourceAccess => ({
  id: `source-${repository.name}`,
  name: repository.name,
  kind: "git",
  config: { url: repository.url, branch: null, username: null },
  secret: TOKEN,
  ...over,
});

export const contextOf = (
  source: SourceAccess,
  pin: JsonObject | null,
  over: Partial<CallContext> = {},
): CallContext => ({
  userId: "user",
  workspaceId: "workspace",
  teamId: "team",
  runId: RUN_ID,
  source,
  pin,
  signal: AbortSignal.timeout(20_000),
  timeoutMs: 20_000,
  maxResultBytes: 65_536,
  ...over,
});

/** Pins the head, as a run does at its start. */
export const pinned = async (
  connector: Connector,
  source: SourceAccess,
  over: Partial<CallContext> = {},
): Promise<CallContext> => {
  const pin = await connector.pin(source, AbortSignal.timeout(20_000));
  if (!pin.ok) throw new Error(pin.text);
  return contextOf(source, pin.pin, over);
};

export const callOf = (toolId: string, args: unknown, form: string | null = null, formVersion = 1): AuthorisedCall =>
  sealAuthorisedCall({
    toolCallId: "call",
    toolId,
    sourceId: null,
    argsText: typeof args === "string" ? args : JSON.stringify(args),
    form,
    formVersion,
    idempotencyKey: null,
  });

export const prepare = async (connector: Connector, args: JsonObject, context: CallContext) => {
  const tool = connector.tools.find((one) => one.id === "git.propose_change");
  if (tool === undefined) throw new Error("The tool is missing.");
  return connector.prepare(tool, { title: "Change something", description: "For the test.", ...args }, context);
};

export const prepared = async (connector: Connector, args: JsonObject, context: CallContext): Promise<Prepared> => {
  const outcome = await prepare(connector, args, context);
  if (!outcome.ok) throw new Error(outcome.text);
  return outcome.prepared;
};

export const formOf = (one: Prepared): { commit: string; tree: string; branch: string; base: string } =>
  JSON.parse(one.form);
