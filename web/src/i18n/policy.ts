import { area } from "./area.ts";
import { plainCondition } from "./condition.ts";
import { de } from "./de/policy.ts";
import { en } from "./en/policy.ts";

/** Words about decisions of the gate. */
export const policy = area(de, en);

type Code = Exclude<keyof typeof de.explain, "unknown">;
type Level = keyof typeof de.ruleLevel;
type ConditionError = Exclude<keyof typeof de.conditionError, "unknown">;
const isCode = (code: string): code is Code => Object.hasOwn(de.explain, code) && code !== "unknown";
const isLevel = (level: unknown): level is Level => typeof level === "string" && Object.hasOwn(de.ruleLevel, level);
const isConditionError = (code: string): code is ConditionError =>
  Object.hasOwn(de.conditionError, code) && code !== "unknown";

/** Why a condition has no answer. */
export const conditionErrorText = (code: string): string =>
  isConditionError(code) ? policy(`conditionError.${code}`) : policy("conditionError.unknown", { code });

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
  if (!isCode(code)) return policy("explain.unknown", { code });
  const level = isLevel(params["level"]) ? policy(`ruleLevel.${params["level"]}`) : text("level");
  return policy(`explain.${code}`, {
    tool: text("tool"),
    label: text("label"),
    pattern: text("pattern"),
    version: text("version"),
    condition: plainCondition(text("condition")),
    why: conditionErrorText(text("errorCode")),
    level,
  });
};
