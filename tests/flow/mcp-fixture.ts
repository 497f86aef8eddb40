import { createMcpConnector, type McpConnector, type McpLimits } from "@aiw/connectors/mcp";
import type { CallContext, DiscoveredTool, SourceAccess, StoredTool } from "@aiw/connectors/connector";
import { sealAuthorisedCall, type AuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject } from "@aiw/contract/tools";
import { createEgress, type Egress } from "@aiw/platform/egress";
import { canonicalize } from "@aiw/policy/canonical";
import { definitionHash } from "@aiw/policy/freeze";

export const TOKEN = "canary-4b1f9a77e2";
export const KEY = "aiw_0199a1b2-c3d4-7000-8000-00000000000a";

const NATIVE = [
  { id: "git.read_file", wireName: "git_read_file" },
  { id: "git.commit", wireName: "git_commit" },
];

export interface Wired {
  readonly connector: McpConnector;
  readonly egress: Egress;
  readonly source: SourceAccess;
}

/** A connector that may reach these ports of this machine, and a source for the first of them. */
export const connectTo = (
  url: string,
  options: {
    readonly server?: string;
    readonly more?: readonly number[];
    readonly limits?: Partial<McpLimits>;
    readonly token?: string | null;
  } = {},
): Wired => {
  const ports = [Number(new URL(url).port), ...(options.more ?? [])];
  const egress = createEgress({ allowedHosts: ports.map((port) => `127.0.0.1:${port}`), allowLocal: true });
  const connector = createMcpConnector({
    egress,
    canonical: { text: canonicalize, hash: definitionHash },
    nativeTools: NATIVE,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const config = connector.readConfig({ url, server: options.server ?? "shop" });
  return {
    connector,
    egress,
    source: {
      id: "source-1",
      name: "Shop",
      kind: "mcp",
      config,
      secret: options.token === undefined ? TOKEN : options.token,
    },
  };
};

export const signal = (): AbortSignal => new AbortController().signal;

export const stored = (tool: DiscoveredTool, settings: JsonObject = {}): StoredTool => ({
  id: tool.id,
  wireName: tool.wireName,
  wire: tool.wire,
  hash: tool.hash,
  settings,
});

export const contextOf = (source: SourceAccess, tool: StoredTool, more: Partial<CallContext> = {}): CallContext => ({
  userId: "user-1",
  workspaceId: "workspace-1",
  teamId: "team-1",
  runId: "run-1",
  source,
  pin: null,
  signal: signal(),
  timeoutMs: 5_000,
  maxResultBytes: 65_536,
  tool,
  ...more,
});

/** The named tool as it was discovered and stored. */
export const toolOf = async (wired: Wired, name: string, settings: JsonObject = {}): Promise<StoredTool> => {
  const found = await wired.connector.discover(wired.source, signal());
  const tool = found.tools.find((entry) => entry.wire["name"] === name);
  if (tool === undefined) throw new Error(`${name} was not discovered: ${JSON.stringify(found.skipped)}`);
  return stored(tool, settings);
};

export const readCall = (tool: StoredTool, args: JsonObject): AuthorisedCall =>
  sealAuthorisedCall({
    toolCallId: "call-1",
    toolId: tool.id,
    sourceId: "source-1",
    argsText: canonicalize(args),
    form: null,
    formVersion: 0,
    idempotencyKey: null,
  });

export const read = async (wired: Wired, tool: StoredTool, args: JsonObject, more: Partial<CallContext> = {}) =>
  wired.connector.read(readCall(tool, args), contextOf(wired.source, tool, more));

/** A write as it is frozen, ready to be executed. */
export const frozen = async (wired: Wired, tool: StoredTool, args: JsonObject, more: Partial<CallContext> = {}) => {
  const context = contextOf(wired.source, tool, more);
  const definition = wired.connector.definitionOf(tool);
  if (definition === null) throw new Error("not usable");
  const outcome = await wired.connector.prepare(definition, args, context);
  if (!outcome.ok) throw new Error(outcome.text);
  const call = sealAuthorisedCall({
    toolCallId: "call-1",
    toolId: tool.id,
    sourceId: "source-1",
    argsText: canonicalize(args),
    form: outcome.prepared.form,
    formVersion: outcome.prepared.formVersion,
    idempotencyKey: KEY,
  });
  return {
    context,
    call,
    prepared: outcome.prepared,
    write: () => wired.connector.write(call, context),
    probe: () => wired.connector.probe(call, context),
  };
};
