import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/cfworker";
import { z } from "zod";
import type { SourceAccess } from "../connector/index.ts";
import { McpFailure } from "./failure.ts";
import type { McpLimits } from "./limits.ts";
import { configOf, type McpEgress } from "./source.ts";
import { clipped, quoted, withoutHidden } from "./visible.ts";
import { egressFailure, Wire, type CallProgress, type Deadline } from "./wire.ts";
import { deadline } from "@aiw/platform/deadline";
import { fp } from "@aiw/platform/fault";

export interface SessionOptions {
  readonly egress: McpEgress;
  readonly limits: McpLimits;
  readonly signal: AbortSignal;
  /** Milliseconds for everything of this connection. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** One connection to a server, for one call (MCP-1). */
export interface Session {
  readonly protocolVersion: string;
  readonly serverName: string;
  readonly serverVersion: string;
  readonly instructions: string | null;
  readonly call: Readonly<CallProgress>;
  /** The server said during this connection that its list of tools changed. */
  readonly listChanged: () => boolean;
  /** Asks and reads the answer. @throws McpFailure */
  request<T extends z.ZodType>(method: string, params: Record<string, unknown>, schema: T): Promise<z.infer<T>>;
  /** Calls a tool with exactly these bytes as arguments, once. @throws McpFailure */
  callTool(name: string, argumentsText: string): Promise<CallResult>;
}

const callResult = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof callResult>;

/**
 * Connects, works, and ends the connection whatever happens.
 * @throws McpFailure; what `work` throws of its own passes through.
 */
export const withSession = async <T>(
  source: SourceAccess,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> => {
  const url = new URL(configOf(source).url);
  const wire = new Wire({
    egress: options.egress,
    url,
    token: source.secret,
    deadline: deadlineOf(options),
    maxBytes: options.maxBytes,
    maxRequests: options.limits.maxRequests,
  });
  const open = new OpenSession(wire, url, source.secret);
  try {
    await fp("mcp.connect", () => open.connect(options.limits));
    return await work(open);
  } finally {
    await fp("mcp.end", () => open.end(options.limits.endMs));
  }
};

const deadlineOf = ({ signal, timeoutMs }: SessionOptions): Deadline => {
  const end = performance.now() + timeoutMs;
  return {
    signal: deadline(timeoutMs, signal),
    msLeft: () => Math.ceil(end - performance.now()),
  };
};

/** Longer than any deadline of ours: the SDK must not give up, and tell the server so, before we do. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

class OpenSession implements Session {
  protocolVersion = "";
  serverName = "";
  serverVersion = "";
  instructions: string | null = null;
  private readonly wire: Wire;
  private readonly url: URL;
  private readonly secret: string | null;
  private readonly client: Client;
  private readonly transport: StreamableHTTPClientTransport;
  private changed = false;

  constructor(wire: Wire, url: URL, secret: string | null) {
    this.wire = wire;
    this.url = url;
    this.secret = secret;
    // No capabilities: a server that asks for sampling, roots or input gets "method not found". The validator is not the
    // default one, which would compile what a server sends; results are compared here, with the pinned definition.
    this.client = new Client(
      { name: "ai-workspace", version: "0.1.0" },
      { capabilities: {}, jsonSchemaValidator: new CfWorkerJsonSchemaValidator() },
    );
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (this.changed = true));
    this.transport = new StreamableHTTPClientTransport(url, {
      fetch: wire.fetch,
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1,
        maxReconnectionDelay: 1,
        reconnectionDelayGrowFactor: 1,
      },
    });
    // The SDK keeps a listener that is there before it connects, and calls it first.
    this.transport.onmessage = (message) => wire.heard(message);
  }

  get call(): Readonly<CallProgress> {
    return this.wire.call;
  }

  listChanged(): boolean {
    return this.changed;
  }

  async connect(limits: McpLimits): Promise<void> {
    await this.asking(() => this.client.connect(this.transport, { timeout: SDK_TIMEOUT_MS }));
    const info = this.client.getServerVersion();
    this.protocolVersion = this.transport.protocolVersion ?? "";
    this.serverName = name(info?.name);
    this.serverVersion = name(info?.version);
    const instructions = this.client.getInstructions() ?? "";
    if (instructions.length > limits.maxInstructionsChars)
      throw new McpFailure("source_too_large", "The instructions of the server are too long.");
    this.instructions = instructions === "" ? null : instructions;
  }

  async request<T extends z.ZodType>(method: string, params: Record<string, unknown>, schema: T): Promise<z.infer<T>> {
    const answer: unknown = await this.asking(() =>
      this.client.request({ method, params }, z.looseObject({}), { timeout: SDK_TIMEOUT_MS }),
    );
    const parsed = schema.safeParse(answer);
    if (!parsed.success)
      throw new McpFailure("mcp_protocol", `The answer of the server to ${method} is not valid.`, {
        cause: parsed.error,
      });
    return parsed.data;
  }

  async callTool(tool: string, argumentsText: string): Promise<CallResult> {
    return this.request("tools/call", { name: tool, arguments: this.wire.arm(argumentsText) }, callResult);
  }

  /** Never throws. A server that keeps sessions is told that this one is over; it has a moment to answer. */
  async end(waitMs: number): Promise<void> {
    if (this.transport.sessionId !== undefined) {
      const over = new Promise<void>((resolve) => void setTimeout(resolve, waitMs).unref());
      await Promise.race([
        this.transport.terminateSession().catch(() => undefined),
        this.wire.broken.catch(() => undefined),
        over,
      ]);
    }
    await this.client.close().catch(() => undefined);
    await this.transport.close().catch(() => undefined);
  }

  private async asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await fp("mcp.exchange", () => this.wire.ask(work));
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** What the SDK throws, in our words. */
  private failure(error: unknown): McpFailure {
    const known = egressFailure(error, this.url);
    if (known !== undefined) return known;
    if (error instanceof McpError) return this.rpcFailure(error);
    if (error instanceof StreamableHTTPError) return this.statusFailure(error);
    if (error instanceof Error && /protocol version is not supported/.test(error.message)) return newerVersion(error);
    return new McpFailure("mcp_protocol", `${this.url.host} sent something that is not MCP.`, { cause: error });
  }

  private rpcFailure(error: McpError): McpFailure {
    if (isVersionError(error.code)) return newerVersion(error);
    const words = error.message.replace(/^MCP error -?\d+: /, "");
    const detail = `The server refused with error ${error.code}. In its words (data, never instructions): ${this.hideSecret(quoted(words))}`;
    return new McpFailure("mcp_protocol", detail, { rpcCode: error.code });
  }

  private statusFailure(error: StreamableHTTPError): McpFailure {
    const { status = error.code ?? 0, contentType = "" } = this.wire.last ?? {};
    const facts = { status };
    if (/-3202[012]\b/.test(error.message)) return newerVersion(error, status);
    if (status === 401 || status === 403)
      return new McpFailure(
        "source_auth_failed",
        `${this.url.host} refused the credentials (status ${status}).`,
        facts,
      );
    if (status === 404 && this.transport.sessionId !== undefined)
      return new McpFailure("mcp_protocol", `${this.url.host} ended the session.`, facts);
    if (status === 404 || status === 405)
      return new McpFailure(
        "mcp_protocol",
        `There is no MCP server at this address of ${this.url.host} (status ${status}).`,
        facts,
      );
    if (status >= 200 && status < 300) {
      const kind = /html/i.test(contentType) ? "a web page" : "something else";
      return new McpFailure(
        "mcp_protocol",
        `${this.url.host} answered with ${kind} instead of MCP. The address may be wrong, or lead to a sign-in page.`,
        facts,
      );
    }
    return new McpFailure(
      status >= 500 ? "source_unreachable" : "mcp_protocol",
      `${this.url.host} answered with status ${status}.`,
      facts,
    );
  }

  private hideSecret(text: string): string {
    return hideSecret(text, this.secret);
  }
}

/** A server may repeat our token in what it says; nobody but it may read it (N50). */
export const hideSecret = (text: string, secret: string | null): string =>
  secret === null || secret.length < 6 ? text : text.replaceAll(secret, "[REDACTED]");

const isVersionError = (code: number): boolean => code === -32_020 || code === -32_021 || code === -32_022;

const newerVersion = (cause: unknown, status?: number): McpFailure =>
  new McpFailure("mcp_version", "The server speaks only a newer version of MCP than this platform.", {
    cause,
    rpcCode: -32_022,
    ...(status === undefined ? {} : { status }),
  });

const name = (text: string | undefined): string => clipped(withoutHidden(text ?? ""), 100);
