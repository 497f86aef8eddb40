import type { PolicyRuleView, RuleWarning } from "@aiw/contract/policies";
import type { ApprovalLevel, StagingDecision } from "@aiw/contract/tools";
import type { ApiProblem } from "../../data/client.ts";
import { de } from "../../i18n/de/rules.ts";
import { rules as t } from "../../i18n/rules.ts";

/** A rule in the form. Texts are as typed. */
export interface RuleDraft {
  readonly pattern: string;
  readonly sourceId: string | null;
  readonly decision: StagingDecision;
  readonly condition: string;
  readonly approvalLevel: ApprovalLevel | null;
  readonly fourEyes: boolean | null;
  readonly label: string;
}

export const EMPTY: RuleDraft = {
  pattern: "",
  sourceId: null,
  decision: "approve",
  condition: "",
  approvalLevel: null,
  fourEyes: null,
  label: "",
};

export const draftOf = (rule: PolicyRuleView): RuleDraft => ({
  pattern: rule.pattern,
  sourceId: rule.sourceId,
  decision: rule.decision,
  condition: rule.condition ?? "",
  approvalLevel: rule.approvalLevel,
  fourEyes: rule.fourEyes,
  label: rule.label === rule.pattern ? "" : rule.label,
});

/** What is sent: only rules that ask carry a condition, only they say who decides. */
export const bodyOf = (draft: RuleDraft) => {
  const asks = draft.decision === "approve";
  return {
    pattern: draft.pattern.trim(),
    sourceId: draft.sourceId,
    decision: draft.decision,
    condition: asks && draft.condition.trim() !== "" ? draft.condition.trim() : null,
    approvalLevel: asks ? draft.approvalLevel : null,
    fourEyes: asks ? draft.fourEyes : null,
    label: draft.label.trim(),
  };
};
export type RuleBody = ReturnType<typeof bodyOf>;

export type RuleField = "pattern" | "sourceId" | "decision" | "condition" | "label";
const FIELDS: readonly RuleField[] = ["pattern", "sourceId", "decision", "condition", "label"];

type Fault = keyof typeof de.field;
const isFault = (code: string): code is Fault => Object.hasOwn(de.field, code);
type ConditionFault = Exclude<keyof typeof de.condition, "place" | "meant">;
const isConditionFault = (code: string): code is ConditionFault =>
  Object.hasOwn(de.condition, code) && code !== "place" && code !== "meant";

/** What the server found wrong, by field and in the reader's language. Empty: it was not about a field. */
export function ruleFaults(problem: ApiProblem): Readonly<Partial<Record<RuleField, string>>> {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      // Of a rule that is tried, fields stand below the draft.
      const code = problem.fields[field] ?? problem.fields[`draft.${field}`];
      if (code === undefined) return [];
      if (field === "condition" && problem.code === "condition_invalid")
        return [[field, conditionFault(code, problem)]];
      if (field === "sourceId" && code === "unknown") return [[field, t("field.unknownSource")]];
      if (code === "too_small") return [[field, t("field.required")]];
      return [[field, isFault(code) ? t(`field.${code}`) : t("field.invalid")]];
    }),
  );
}

/** Where it went wrong, what is wrong, and what was probably meant. */
export function conditionFault(code: string, { params }: ApiProblem): string {
  const text = isConditionFault(code) ? t(`condition.${code}`) : t("condition.invalid");
  const [line, column, hint] = [params["line"], params["column"], params["hint"]];
  const meant = typeof hint === "string" ? /Did you mean "([^"]+)"/.exec(hint)?.[1] : undefined;
  const all = meant === undefined ? text : `${text} ${t("condition.meant", { word: meant })}`;
  if (typeof line !== "number" || typeof column !== "number" || code === "empty" || code === "condition_needs_approve")
    return all;
  return t("condition.place", { line: String(line), column: String(column), text: all });
}

type Because = keyof typeof de.because;
const isBecause = (code: string): code is Because => Object.hasOwn(de.because, code);

export const warningText = ({ code, text, because }: RuleWarning): string =>
  t(`warning.${code}`, {
    text: text ?? "",
    because: because !== undefined && isBecause(because) ? t(`because.${because}`) : "",
  }).trim();

/** What can be typed as a pattern: everything, the groups, the tools. */
export const patternsOf = (toolIds: readonly string[]): readonly string[] => {
  const groups = new Set(toolIds.map((id) => id.split(".")[0] ?? id));
  return ["*", ...[...groups].toSorted(), ...toolIds.toSorted()];
};
