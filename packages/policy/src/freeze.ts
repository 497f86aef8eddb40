import { createHash } from "node:crypto";
import type { ApprovalLevel, JsonObject, JsonValue } from "@aiw/contract/tools";
import { canonicalize, comparable } from "./canonical.ts";

/** Everything a decision binds (APR-2, N33, N34). */
export interface SnapshotParts {
  /** Tool id, `group.action`. */
  readonly tool: string;
  readonly action: string | null;
  readonly sourceId: string | null;
  /** Canonical argument JSON: the bytes that are executed. */
  readonly argsCanonical: string;
  /** What the approver is shown, as stored text. */
  readonly preview: string;
  readonly preconditions: JsonValue;
  /** The tool's frozen form, as stored text. */
  readonly form: string;
  readonly formVersion: number;
  readonly definitionHash: string;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
  /** Number or text: both spellings of one version give the same snapshot. */
  readonly policyVersion: string | number;
  readonly workspaceId: string;
  readonly runId: string;
  readonly callId: string;
  readonly requesterId: string;
}

export interface Snapshot {
  /** `aiw-snapshot-v2`, a line feed, canonical JSON of the parts. Stored as text, never as jsonb. */
  readonly text: string;
  /** SHA-256 of the text's UTF-8 bytes, 64 lower-case hex digits. */
  readonly hash: string;
}

/**
 * Freezes a call for a decision (APR-2): whoever approves approves this hash and nothing else.
 *
 * @throws CanonicalError when a part is not well-formed JSON or Unicode.
 */
export const snapshot = (parts: SnapshotParts): Snapshot => {
  // Named one by one: a field more in the caller's object must not enter the hash, a field less must not compile.
  const bound: JsonObject = {
    tool: parts.tool,
    action: parts.action,
    sourceId: parts.sourceId,
    argsCanonical: parts.argsCanonical,
    preview: parts.preview,
    preconditions: parts.preconditions,
    form: parts.form,
    formVersion: parts.formVersion,
    definitionHash: parts.definitionHash,
    level: parts.level,
    fourEyes: parts.fourEyes,
    policyVersion: String(parts.policyVersion),
    workspaceId: parts.workspaceId,
    runId: parts.runId,
    callId: parts.callId,
    requesterId: parts.requesterId,
  };
  const text = `${PREFIX}${canonicalize(bound)}`;
  return { text, hash: sha256Hex(text) };
};

/** v2: the preview holds the evidence of a rehearsal and the facts that are expected (APR-20, APR-21). */
const PREFIX = "aiw-snapshot-v2\n";

/** Whether this version made the snapshot; one of another version is never executed, and prepared again (APR-2). */
export const isPresentSnapshot = (text: string): boolean => text.startsWith(PREFIX);

/** SHA-256 over the UTF-8 bytes of a text, 64 lower-case hex digits. */
export const sha256Hex = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

/**
 * The identity of a tool's whole raw definition (POL-6): any change of name, description, schema or annotation gives
 * another hash, the order of members does not.
 *
 * @throws CanonicalError when the definition is not JSON.
 */
export const definitionHash = (definition: JsonValue): string =>
  sha256Hex(`aiw-definition-v1\n${canonicalize(definition)}`);

/**
 * Identity of a proposal within a run (APR-6, F55): equal for the same tool, source and arguments, however the model
 * spelt them (member order, white space, `1.0` for `1`, escapes, Unicode form).
 *
 * @throws CanonicalError when the arguments are not JSON.
 */
export const proposalKey = (tool: string, sourceId: string | null, args: JsonValue): string =>
  sha256Hex(`aiw-proposal-v1\n${comparable({ tool, sourceId, args })}`);
