import { z } from "zod";
import { isEndpointAddress, isServerName, mcpPurpose, type McpPurpose } from "@aiw/contract/mcp";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import type { Egress } from "@aiw/platform/egress";
import type { SourceAccess } from "../connector/index.ts";

/** The part of the platform's egress guard this room needs (SRC-3). */
export type McpEgress = Pick<Egress, "check" | "request">;

const configSchema = z.strictObject({
  url: z.string().min(1).max(2000),
  /** Short name; the first part of every tool id (MCP-1). */
  server: z.string(),
  purpose: mcpPurpose.default("general"),
  /** The server's instructions as last fetched; only those of memory servers go into the prompt (MCP-1). */
  instructions: z.string().nullish(),
});

export interface McpConfig {
  readonly url: string;
  readonly server: string;
  readonly purpose: McpPurpose;
  readonly instructions: string | null;
}

const invalid = (
  field: string,
  code: "source_url_invalid" | "source_host_not_allowed" | "bad_request",
  cause?: unknown,
): Problem => new Problem(code, { fields: { [field]: code }, cause });

/**
 * Checks the settings of an MCP server and brings them into one spelling. `taken` = groups of native tools.
 * @throws Problem `source_url_invalid`, `source_host_not_allowed`, `bad_request`, with the field.
 */
export const readMcpConfig = (input: JsonValue, egress: McpEgress, taken: Iterable<string>): JsonObject => {
  const parsed = configSchema.safeParse(input);
  if (!parsed.success) throw invalid(String(parsed.error.issues[0]?.path[0] ?? "url"), "bad_request");
  const { url, server, purpose, instructions } = parsed.data;
  if (!isServerName(server, taken)) throw invalid("server", "bad_request");
  return { url: endpoint(url.trim(), egress).href, server, purpose, instructions: instructions ?? null };
};

const endpoint = (text: string, egress: McpEgress): URL => {
  if (!isEndpointAddress(text)) throw invalid("url", "source_url_invalid");
  const url = new URL(text);
  try {
    egress.check(url.href);
  } catch (cause) {
    throw invalid("url", "source_host_not_allowed", cause);
  }
  return url;
};

/** Settings as stored; they were read before, so anything else is a broken row. */
export const configOf = (source: SourceAccess): McpConfig => {
  const { instructions, ...rest } = configSchema.parse(source.config);
  return { ...rest, instructions: instructions ?? null };
};
