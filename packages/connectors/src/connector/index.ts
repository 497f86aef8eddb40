import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject, JsonValue, ToolDefinition } from "@aiw/contract/tools";

/** Who a call is made for (SRC-1). Connectors get it by argument and never look anything up themselves. */
export interface CallContext {
  readonly userId: string;
  readonly workspaceId: string;
  readonly teamId: string;
  readonly runId: string;
  readonly source: SourceAccess;
  /** What the run pinned at its start for this source, such as the commit all reading tools see (GIT-1). */
  readonly pin: JsonObject | null;
  readonly signal: AbortSignal;
  /** Milliseconds the call may take; the caller aborts `signal` when they are over. */
  readonly timeoutMs: number;
  /** Bytes of UTF-8 the result may have (SRC-4). */
  readonly maxResultBytes: number;
}

/** A source with its secret opened, for the length of one call. Never stored, logged or sent to a model. */
export interface SourceAccess {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly config: JsonObject;
  readonly secret: string | null;
}

/** What the model reads. A failure here is an ordinary answer of the tool ("no such file"), never an exception. */
export interface ToolResult {
  readonly ok: boolean;
  /** Text for the model; untrusted content. */
  readonly text: string;
  /** The result was cut; the text says how to get the rest. */
  readonly truncated: boolean;
  /** Facts for the receipt (branch, commit, url): small, no secrets. */
  readonly facts?: JsonObject;
}

/** A write as it is frozen (APR-2). Everything the decision binds, and everything a person sees. */
export interface Prepared {
  /** Frozen form: all that `execute` needs, as text. */
  readonly form: string;
  readonly formVersion: number;
  readonly preview: Preview;
  /** What must still hold at the target when it runs (base commit, row version). */
  readonly preconditions: JsonObject;
}

/** The change as a person sees it, rendered from the frozen form alone. */
export interface Preview {
  /** One line made of real parameters, at most 200 characters. */
  readonly title: string;
  readonly kind: "diff" | "arguments";
  /** For `diff`: one entry a file. */
  readonly files?: readonly PreviewFile[];
  readonly fields?: readonly { readonly label: string; readonly value: string }[];
  /** How the outcome was rehearsed, or that it cannot be (APR-20). */
  readonly rehearsal?: string;
}

export interface PreviewFile {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
  readonly additions: number;
  readonly deletions: number;
  /** Unified diff of this file; null for binary content, with `note` saying what is there. */
  readonly diff: string | null;
  /** What a plain diff hides: mode change, line endings only, no newline at the end, CI configuration. */
  readonly notes: readonly PreviewNote[];
}
export type PreviewNote =
  | "binary"
  | "mode_change"
  | "symlink"
  | "line_endings"
  | "no_final_newline"
  | "ci_configuration"
  | "large";

export type PrepareOutcome =
  | { readonly ok: true; readonly prepared: Prepared }
  | { readonly ok: false; readonly text: string };

export type RecheckOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: InvalidReason; readonly text: string };

/** How a write ended. `unknown` = the target may or may not have acted; never repeated blindly (RUN-7). */
export type WriteOutcome =
  | { readonly kind: "executed"; readonly result: ToolResult }
  | { readonly kind: "refused"; readonly result: ToolResult; readonly invalid?: InvalidReason }
  | { readonly kind: "unknown"; readonly text: string };

export type ProbeOutcome =
  | { readonly kind: "applied"; readonly result: ToolResult }
  | { readonly kind: "not_applied"; readonly text: string }
  | { readonly kind: "cannot_tell"; readonly text: string };

/** One stage of a connection test, in the order tried. The first failure ends the test. */
export interface TestStage {
  readonly stage: "address" | "reach" | "login" | "list" | "read" | "write";
  readonly ok: boolean;
  /** A code of contract/problem when `ok` is false. */
  readonly code?: string;
  /** Facts for the screen: branch, head commit, number of files. No secrets. */
  readonly facts?: JsonObject;
}
export interface TestReport {
  readonly ok: boolean;
  readonly stages: readonly TestStage[];
  /** Findings that do not fail the test (for example: the server does not protect its default branch). */
  readonly warnings: readonly string[];
}

/** What the target must have before a call can be judged, e.g. pin the head commit at the run's start. */
export type PinOutcome =
  | { readonly ok: true; readonly pin: JsonObject }
  | { readonly ok: false; readonly text: string };

/** SRC-1: the one shape behind which every kind of source stands. */
export interface Connector {
  readonly kind: string;
  readonly tools: readonly ToolDefinition[];
  /** Checks a source's settings before they are stored; throws a Problem that names the field. */
  readConfig(input: JsonValue): JsonObject;
  testConnection(source: SourceAccess, signal: AbortSignal): Promise<TestReport>;
  /** Pins what all calls of a run read (GIT-1). */
  pin(source: SourceAccess, signal: AbortSignal): Promise<PinOutcome>;
  /** Text for the prompt about this source at this pin: what it is, AGENTS.md as data (GIT-9). At most 12 KB. */
  describe(context: CallContext): Promise<{ readonly summary: string; readonly conventions: string | null }>;
  /** Reading tools: runs and answers. */
  read(call: AuthorisedCall, context: CallContext): Promise<ToolResult>;
  /** Writing tools: turns arguments into what is frozen. Changes nothing outside. */
  prepare(tool: ToolDefinition, args: JsonObject, context: CallContext): Promise<PrepareOutcome>;
  /** Looks at the preconditions again (APR-3). Changes nothing. */
  recheck(form: string, preconditions: JsonObject, context: CallContext): Promise<RecheckOutcome>;
  /** Performs the frozen form, once. */
  write(call: AuthorisedCall, context: CallContext): Promise<WriteOutcome>;
  /** Looks whether an interrupted write happened (RUN-7). Changes nothing. */
  probe(call: AuthorisedCall, context: CallContext): Promise<ProbeOutcome>;
}
