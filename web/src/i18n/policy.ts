import { area } from "./area.ts";
import { de } from "./de/policy.ts";
import { en } from "./en/policy.ts";

const words = area(de, en);

type Code = Exclude<keyof typeof de.explain, "unknown">;
type Level = keyof typeof de.ruleLevel;
const isCode = (code: string): code is Code => Object.hasOwn(de.explain, code) && code !== "unknown";
const isLevel = (level: unknown): level is Level => typeof level === "string" && Object.hasOwn(de.ruleLevel, level);

/** Why the gate decided as it did, in the reader's language (POL-2). A code this version does not know is named as it is. */
export const explain = (explanation: {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
}): string => {
  const { code, params } = explanation;
  const text = (key: string): string => {
    const value = params[key];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  if (!isCode(code)) return words("explain.unknown", { code });
  const level = isLevel(params["level"]) ? words(`ruleLevel.${params["level"]}`) : text("level");
  return words(`explain.${code}`, {
    tool: text("tool"),
    label: text("label"),
    pattern: text("pattern"),
    version: text("version"),
    level,
  });
};
