import type { Drift } from "@aiw/contract/drift";
import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject, JsonValue, RiskClass, ToolDefinition } from "@aiw/contract/tools";

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
  /** For tools that come from stored rows (MCP-1): the row of the tool that is called. Absent for tools that are code. */
  readonly tool?: StoredTool;
}

/** A tool whose definition came from a server and was stored, pinned and classified (MCP-1, POL-6). */
export interface StoredTool {
  /** `group.action`; the group is the short name of the server. */
  readonly id: string;
  readonly wireName: string;
  /** The raw definition exactly as the server sent it: what is pinned, hashed and compared, nothing taken away. */
  readonly wire: JsonObject;
  /** Hash of `wire`, made by the caller's canonical hash. */
  readonly hash: string;
  /** Hash of the server's instructions when they are pinned too; null or absent: not compared before a write. */
  readonly instructionsHash?: string | null;
  /** What a platform admin declared for this tool (server-set arguments, idempotency argument, probe); `{}` without. */
  readonly settings: JsonObject;
}

/** What a server offers, as *Fetch tools* stores it (MCP-1). Everything in it was written by the server: untrusted. */
export interface Discovery {
  readonly protocolVersion: string;
  readonly serverName: string;
  readonly serverVersion: string;
  /** As sent; null when there are none. */
  readonly instructions: string | null;
  readonly instructionsHash: string | null;
  readonly tools: readonly DiscoveredTool[];
  readonly skipped: readonly SkippedTool[];
  /** The list ended early: at a bound of ours, or because the server sent a cursor twice. */
  readonly incomplete: "pages" | "tools" | "cursor" | null;
}

export interface DiscoveredTool {
  readonly id: string;
  readonly wireName: string;
  readonly wire: JsonObject;
  readonly hash: string;
  /** What the model would see without any declarations of an admin. */
  readonly definition: ToolDefinition;
  /** From the server's annotations: a hint for the admin, never taken over (POL-9, N45). */
  readonly suggestedRiskClass: RiskClass;
  /** What an admin should look at before classifying, as codes. */
  readonly findings: readonly ToolFinding[];
}
export type ToolFinding =
  | "annotated_read_only"
  | "annotated_destructive"
  | "annotations_disagree"
  | "hidden_characters"
  | "description_cut"
  | "names_other_tool"
  | "pattern_dropped"
  | "keyword_dropped"
  | "open_arguments"
  | "output_schema_unusable";

/** A tool that cannot be used, and why (N40, N42). `name` is made visible and cut, for the screen only. */
export interface SkippedTool {
  readonly name: string;
  readonly reason: SkipReason;
}
export type SkipReason =
  | "not_an_object"
  | "name_invalid"
  | "name_too_long"
  | "name_reserved"
  | "listed_twice"
  | "name_clash"
  | "too_large"
  | "too_deep"
  | "too_complex"
  | "schema_not_object"
  | "schema_invalid"
  | "remote_reference"
  | "broken_reference"
  | "recursive_reference"
  | "unsafe_pattern"
  | "forbidden_name"
  | "hidden_characters"
  | "not_canonical";

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
  /** What came of trying it, or that it cannot be tried (APR-20); set by whoever asks for the trial. */
  readonly rehearsal?: Rehearsal;
  /** Facts the execution is expected to report, so that both can be compared afterwards (APR-21). */
  readonly predicted?: JsonObject;
}

export type Rehearsal =
  | { readonly kind: "rehearsed"; readonly at: string; readonly evidence: JsonObject }
  | { readonly kind: "none"; readonly why: "not_possible" | "unreachable" };

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
  /** `later`: the target could not be asked, which says nothing about the proposal. */
  | { readonly ok: false; readonly text: string; readonly later?: boolean };

export type RecheckOutcome =
  | { readonly ok: true }
  /** `drift`: the same for a page; left out where there is only the sentence. */
  | { readonly ok: false; readonly reason: InvalidReason; readonly text: string; readonly drift?: Drift };

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
  /** A write may take as long as a push to a Git server (AIW_PUSH_S); without it, as long as any other call (AIW_TOOL_CALL_S). */
  readonly pushes?: true;
  /** Tools that are code; empty for a kind whose tools come from stored rows. */
  readonly tools: readonly ToolDefinition[];
  /** Kinds with stored tools: what the model sees of one, or null when this version cannot use it (MCP-1). */
  definitionOf?(tool: StoredTool): ToolDefinition | null;
  /** Kinds with stored tools: asks the server what it offers. @throws Problem when the server cannot be asked. */
  discover?(source: SourceAccess, signal: AbortSignal): Promise<Discovery>;
  /** Checks a source's settings before they are stored; throws a Problem that names the field. */
  readConfig(input: JsonValue): JsonObject;
  testConnection(source: SourceAccess, signal: AbortSignal): Promise<TestReport>;
  /** Pins what all calls of a run read (GIT-1). `anew`: what was known of the target shortly before does not do. */
  pin(source: SourceAccess, signal: AbortSignal, anew?: boolean): Promise<PinOutcome>;
  /** Text for the prompt about this source at this pin: what it is, AGENTS.md as data (GIT-9). At most 12 KB. */
  describe(context: CallContext): Promise<{ readonly summary: string; readonly conventions: string | null }>;
  /** Reading tools: runs and answers. */
  read(call: AuthorisedCall, context: CallContext): Promise<ToolResult>;
  /** Writing tools: turns arguments into what is frozen. Changes nothing outside. */
  prepare(tool: ToolDefinition, args: JsonObject, context: CallContext): Promise<PrepareOutcome>;
  /**
   * Tries the frozen form against the target as it is now, without any effect there (APR-20); null: this tool cannot be tried.
   * A target that cannot be asked is an exception.
   */
  rehearse?(tool: ToolDefinition, form: string, context: CallContext): Promise<JsonObject | null>;
  /** Looks at the preconditions again (APR-3). Changes nothing. */
  recheck(form: string, preconditions: JsonObject, context: CallContext): Promise<RecheckOutcome>;
  /** Performs the frozen form, once. */
  write(call: AuthorisedCall, context: CallContext): Promise<WriteOutcome>;
  /** Looks whether an interrupted write happened (RUN-7). Changes nothing. */
  probe(call: AuthorisedCall, context: CallContext): Promise<ProbeOutcome>;
}
