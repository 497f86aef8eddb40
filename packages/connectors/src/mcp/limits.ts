/** Bounds of one MCP server (MCP-2, N42, N51). Bytes unless the name says otherwise. */
export interface McpLimits {
  /** All answers of one connection together, as they come over the wire. */
  readonly maxWireBytes: number;
  /** The same for a connection that lists tools, where one oversized tool must not hide the others. */
  readonly maxListBytes: number;
  /** HTTP requests of one connection; a server that keeps asking back must not make us send without end. */
  readonly maxRequests: number;
  /** Pages and tools of one list. */
  readonly maxPages: number;
  readonly maxTools: number;
  /** A raw definition above this is skipped. */
  readonly maxToolBytes: number;
  /** Characters of a description that the model gets. */
  readonly maxDescriptionChars: number;
  /** Instructions above this are not kept. */
  readonly maxInstructionsChars: number;
  /** Nesting of a schema, and its size when every reference is followed. */
  readonly maxSchemaDepth: number;
  readonly maxSchemaNodes: number;
  /** Milliseconds for asking a server what it offers. */
  readonly listMs: number;
  /** Milliseconds for saying goodbye to a server that keeps sessions. */
  readonly endMs: number;
  /** A structured result above this is not compared with its schema. */
  readonly maxCheckedBytes: number;
}

const MB = 1024 * 1024;

export const DEFAULT_LIMITS: McpLimits = {
  maxWireBytes: 8 * MB,
  maxListBytes: 24 * MB,
  maxRequests: 80,
  maxPages: 50,
  maxTools: 500,
  maxToolBytes: 128 * 1024,
  maxDescriptionChars: 4_000,
  maxInstructionsChars: 64_000,
  maxSchemaDepth: 24,
  maxSchemaNodes: 5_000,
  listMs: 20_000,
  endMs: 1_000,
  maxCheckedBytes: 256 * 1024,
};
