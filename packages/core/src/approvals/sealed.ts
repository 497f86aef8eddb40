import type { Vault } from "@aiw/platform/vault";

/**
 * Stored text that holds a sensitive answer (APR-10) is sealed with this before it; what is not sealed never begins so: it is
 * JSON, or a snapshot. Beside it stands what may be shown.
 */
export const SEALED = "sealed:";
export const isSealed = (text: string): boolean => text.startsWith(SEALED);

/** What each text is sealed for: its row and its place there, so that none opens anywhere else (N81). */
export const responseContext = (approvalId: string): string => `request:${approvalId}`;
export const partContext = (approvalId: string, part: RequestPart): string => `request:${approvalId}:${part}`;
export const callContext = (toolCallId: string): string => `call:${toolCallId}`;

export const REQUEST_PARTS = ["args", "form", "preview", "preconditions", "snapshot"] as const;
export type RequestPart = (typeof REQUEST_PARTS)[number];

export type Opener = Pick<Vault, "open">;

/** The text itself, opened where it is sealed. @throws VaultError for one that was sealed for another place. */
export const opened = async (vault: Opener, text: string, context: string): Promise<string> =>
  isSealed(text) ? vault.open(text.slice(SEALED.length), context) : text;
