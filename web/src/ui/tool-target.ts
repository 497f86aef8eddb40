import type { INPUT_GROUP as InputGroup } from "@aiw/contract/agents";
import type { ASK_USER as AskUser } from "@aiw/contract/questions";

/** The tool with which the agent asks a person; of the contract only types travel to the page. */
export const ASK_USER: typeof AskUser = "user.ask_user";
const INPUT_GROUP: typeof InputGroup = "input";

/** Whether a call asks a person for words and changes nothing (APR-9, RUN-16). */
export const asksPerson = (tool: string | null): boolean =>
  tool === ASK_USER || tool?.startsWith(`${INPUT_GROUP}.`) === true;

/** Names under which tools take what they work on, the most telling first. */
const TELLING = [
  "question",
  "path",
  "file",
  "query",
  "pattern",
  "ref",
  "branch",
  "url",
  "title",
  "name",
  "message",
  "id",
] as const;
const MAX = 80;

const short = (value: unknown): string => {
  const text =
    typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  const line = text.split("\n")[0] ?? "";
  return line.length > MAX ? `${line.slice(0, MAX)}…` : line;
};

/** What a call works on, in one line for its card; empty when the arguments do not say. */
export const targetOf = (args: string): string => {
  if (args.length > 100_000) return "";
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
    const fields = new Map<string, unknown>(Object.entries(value));
    const telling = TELLING.map((key) => short(fields.get(key))).find((text) => text !== "");
    return telling ?? [...fields.values()].map(short).find((text) => text !== "") ?? "";
  } catch {
    return "";
  }
};
