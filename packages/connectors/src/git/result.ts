import type { ToolResult } from "../connector/index.ts";

export const answer = (text: string, truncated = false): ToolResult => ({ ok: true, text, truncated });
export const refusal = (text: string): ToolResult => ({ ok: false, text, truncated: false });

/** Bytes kept free for the sentence that says what was cut. */
const NOTE_BYTES = 300;

/** Takes lines as long as they fit into the result; the count says how many were taken. */
export const takeLines = (
  lines: Iterable<string>,
  maxBytes: number,
): { readonly text: string; readonly taken: number } => {
  const room = Math.max(maxBytes - NOTE_BYTES, 200);
  const out: string[] = [];
  let used = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    if (used + size > room) break;
    used += size;
    out.push(line);
  }
  return { text: out.join("\n"), taken: out.length };
};

/** Shortens one line to a number of characters and says so. */
export const shorten = (text: string, characters: number): string => {
  if (text.length <= characters) return text;
  const cut = text.slice(0, characters);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)} ... [${text.length - characters} more characters]`;
};
