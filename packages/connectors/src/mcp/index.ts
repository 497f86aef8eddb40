import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject, JsonValue, ToolDefinition } from "@aiw/contract/tools";
import type { CallContext, Connector, Discovery, SourceAccess, StoredTool } from "../connector/index.ts";
import { testServer } from "./connection-test.ts";
import { discoverTools, type Canonical } from "./discover.ts";
import { freeze } from "./form.ts";
import { DEFAULT_LIMITS, type McpLimits } from "./limits.ts";
import { probeWrite } from "./probe.ts";
import { readTool, type CallEdges } from "./read.ts";
import { listResources, readResource, type ResourceEntry } from "./resources.ts";
import { configOf, readMcpConfig, type McpEgress } from "./source.ts";
import { storedDefinition } from "./tool.ts";
import { clipped, withoutHidden } from "./visible.ts";
import { recheckForm, writeTool } from "./write.ts";

export type { Canonical } from "./discover.ts";
export type { McpLimits } from "./limits.ts";
export type { ResourceEntry } from "./resources.ts";
export type { McpEgress } from "./source.ts";

export interface McpConnectorOptions {
  readonly egress: McpEgress;
  /** The canonical text and hash by which definitions are pinned (POL-6). */
  readonly canonical: Canonical;
  /** Tools of the platform itself; no server may take their names (N40). */
  readonly nativeTools: readonly Pick<ToolDefinition, "id" | "wireName">[];
  readonly limits?: Partial<McpLimits>;
}

/** MCP servers over streamable HTTP (MCP-1 to MCP-3): their tools come from stored rows, a connection lasts one call. */
export interface McpConnector extends Connector {
  definitionOf(tool: StoredTool): ToolDefinition | null;
  discover(source: SourceAccess, signal: AbortSignal): Promise<Discovery>;
  /** @throws McpFailure */
  listResources(context: CallContext): Promise<readonly ResourceEntry[]>;
  readResource(uri: string, context: CallContext): ReturnType<typeof readResource>;
}

export const createMcpConnector = (options: McpConnectorOptions): McpConnector => new McpClient(options);

class McpClient implements McpConnector {
  readonly kind = "mcp";
  readonly tools: readonly ToolDefinition[] = [];
  private readonly edges: CallEdges;
  private readonly groups: ReadonlySet<string>;
  private readonly taken: ReadonlySet<string>;

  constructor({ egress, canonical, nativeTools, limits }: McpConnectorOptions) {
    this.edges = { egress, canonical, limits: { ...DEFAULT_LIMITS, ...limits } };
    this.groups = new Set(nativeTools.map(({ id }) => id.split(".")[0] ?? id));
    this.taken = new Set(nativeTools.map(({ wireName }) => wireName.toLowerCase()));
  }

  readConfig(input: JsonValue): JsonObject {
    return readMcpConfig(input, this.edges.egress, this.groups);
  }

  definitionOf(tool: StoredTool): ToolDefinition | null {
    return storedDefinition(tool, this.edges.limits);
  }

  discover(source: SourceAccess, signal: AbortSignal): Promise<Discovery> {
    const { egress, limits, canonical } = this.edges;
    const session = { egress, limits, signal, timeoutMs: limits.listMs, maxBytes: limits.maxListBytes };
    return discoverTools(source, session, { canonical, limits, taken: this.taken });
  }

  testConnection(source: SourceAccess, signal: AbortSignal): ReturnType<Connector["testConnection"]> {
    return testServer(source, this.edges.egress, () => this.discover(source, signal));
  }

  /** Nothing of an MCP server is pinned for a run: its definitions are pinned for everybody (POL-6). */
  async pin(): ReturnType<Connector["pin"]> {
    return { ok: true, pin: {} };
  }

  /** MCP-1, N41: words of a server stand in the prompt only for memory servers; others speak through their tools alone. */
  async describe(context: CallContext): ReturnType<Connector["describe"]> {
    const { server, purpose, instructions } = configOf(context.source);
    const summary = `- "${context.source.name}" (MCP server): its tools begin with ${server}__`;
    const isPrompted = purpose === "memory" && instructions !== null;
    return { summary, conventions: isPrompted ? clipped(withoutHidden(instructions), MAX_PROMPTED_CHARS) : null };
  }

  async read(call: AuthorisedCall, context: CallContext): ReturnType<Connector["read"]> {
    const tool = ownTool(call.toolId, context);
    return typeof tool === "string"
      ? { ok: false, text: tool, truncated: false }
      : readTool(call, tool, context, this.edges);
  }

  async prepare(definition: ToolDefinition, args: JsonObject, context: CallContext): ReturnType<Connector["prepare"]> {
    const tool = ownTool(definition.id, context);
    return typeof tool === "string"
      ? { ok: false, text: tool }
      : { ok: true, prepared: freeze(tool, args, context, this.edges.canonical) };
  }

  async recheck(form: string, _preconditions: JsonObject, context: CallContext): ReturnType<Connector["recheck"]> {
    const tool = ownTool(context.tool?.id ?? "", context);
    return typeof tool === "string"
      ? { ok: false, reason: "superseded", text: tool }
      : recheckForm(form, tool, context);
  }

  async write(call: AuthorisedCall, context: CallContext): ReturnType<Connector["write"]> {
    const tool = ownTool(call.toolId, context);
    if (typeof tool === "string")
      return { kind: "refused", invalid: "superseded", result: { ok: false, text: tool, truncated: false } };
    return writeTool(call, tool, context, this.edges);
  }

  async probe(call: AuthorisedCall, context: CallContext): ReturnType<Connector["probe"]> {
    const tool = ownTool(call.toolId, context);
    return typeof tool === "string" ? { kind: "cannot_tell", text: tool } : probeWrite(call, tool, context, this.edges);
  }

  listResources(context: CallContext): Promise<readonly ResourceEntry[]> {
    return listResources(context.source, this.session(context), this.edges.limits);
  }

  readResource(uri: string, context: CallContext): ReturnType<typeof readResource> {
    return readResource(context.source, uri, this.session(context), context.maxResultBytes);
  }

  private session(context: CallContext) {
    const { egress, limits } = this.edges;
    return { egress, limits, signal: context.signal, timeoutMs: context.timeoutMs, maxBytes: limits.maxWireBytes };
  }
}

const MAX_PROMPTED_CHARS = 12_000;

/** The stored row of the called tool, when it belongs to this server: a token never goes with a tool of another (N50). */
const ownTool = (toolId: string, context: CallContext): StoredTool | string => {
  const { tool } = context;
  if (tool === undefined || tool.id !== toolId) return "This tool is not stored here.";
  if (!toolId.startsWith(`${configOf(context.source).server}.`)) return "This tool belongs to another server.";
  return tool;
};
