import { Problem, type ProblemCode } from "@aiw/contract/problem";

export type McpFailureCode = Extract<
  ProblemCode,
  | "source_host_not_allowed"
  | "source_unreachable"
  | "source_auth_failed"
  | "source_too_large"
  | "mcp_protocol"
  | "mcp_version"
>;

interface Facts {
  /** HTTP status of the answer that failed. */
  readonly status?: number;
  /** Code of a JSON-RPC error, when that was the answer. */
  readonly rpcCode?: number;
  readonly cause?: unknown;
}

/**
 * Something the MCP server or the network did not allow. `detail` is one English sentence for the model and the log: no
 * secrets, and nothing of the server's own words that is not quoted.
 */
export class McpFailure extends Problem {
  declare readonly code: McpFailureCode;
  readonly detail: string;
  readonly httpStatus: number | undefined;
  readonly rpcCode: number | undefined;
  constructor(code: McpFailureCode, detail: string, facts: Facts = {}) {
    super(code, { cause: facts.cause });
    this.name = "McpFailure";
    this.detail = detail;
    this.httpStatus = facts.status;
    this.rpcCode = facts.rpcCode;
  }
}
