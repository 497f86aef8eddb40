import type { Discovery, SourceAccess, TestReport, TestStage } from "../connector/index.ts";
import { McpFailure, type McpFailureCode } from "./failure.ts";
import { configOf, type McpEgress } from "./source.ts";

/** Findings that do not fail the test, as codes for the screen. */
export type McpWarning = "mcp_plain_http" | "mcp_tools_skipped" | "mcp_list_incomplete" | "mcp_no_tools";

/** At which stage a failure shows: all stages before it have passed. */
const STAGE_OF: Readonly<Record<McpFailureCode, TestStage["stage"]>> = {
  source_host_not_allowed: "address",
  source_unreachable: "reach",
  source_auth_failed: "login",
  mcp_protocol: "list",
  mcp_version: "list",
  source_too_large: "list",
};
const ORDER: readonly TestStage["stage"][] = ["address", "reach", "login", "list"];

/** Tries a server from the address to its list of tools (SRC-2). Never throws for what a server does. */
export const testServer = async (
  source: SourceAccess,
  egress: McpEgress,
  discover: () => Promise<Discovery>,
): Promise<TestReport> => {
  try {
    const found = await discover();
    const facts = {
      server: found.serverName,
      version: found.serverVersion,
      protocol: found.protocolVersion,
      tools: found.tools.length,
      skipped: found.skipped.length,
    };
    return {
      ok: true,
      stages: ORDER.map((stage) => ({ stage, ok: true, ...(stage === "list" ? { facts } : {}) })),
      warnings: warnings(source, egress, found),
    };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const failed = STAGE_OF[error.code];
    const passed = ORDER.slice(0, ORDER.indexOf(failed)).map((stage): TestStage => ({ stage, ok: true }));
    return { ok: false, stages: [...passed, { stage: failed, ok: false, code: error.code }], warnings: [] };
  }
};

const warnings = (source: SourceAccess, egress: McpEgress, found: Discovery): McpWarning[] => [
  ...(egress.check(configOf(source).url).protocol === "http:" ? (["mcp_plain_http"] as const) : []),
  ...(found.skipped.length > 0 ? (["mcp_tools_skipped"] as const) : []),
  ...(found.incomplete === null ? [] : (["mcp_list_incomplete"] as const)),
  ...(found.tools.length === 0 ? (["mcp_no_tools"] as const) : []),
];
