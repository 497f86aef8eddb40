import type { ApprovalDetail, Rehearsal } from "@aiw/contract/views";
import { approvals as t } from "../../i18n/approvals.ts";
import { dateTime } from "../../i18n/index.ts";

const SHORT = 12;

/**
 * What came of trying a change (APR-20), in the reader's language. Requests of earlier versions hold a text: worded from the
 * commits of the preview where it names the same ones, otherwise a quotation.
 */
export const rehearsalText = (preview: ApprovalDetail["preview"], told: string | Rehearsal): string => {
  if (typeof told !== "string") return told.kind === "none" ? t(`rehearsalNone.${told.why}`) : evidenceText(told);
  const short = (label: string): string =>
    preview.fields?.find((field) => field.label === label)?.value.slice(0, SHORT) ?? "";
  const [base, commit] = [short("base"), short("commit")];
  const known = base !== "" && commit !== "" && told.includes(base) && told.includes(commit);
  return known ? t("rehearsalCommit", { base, commit }) : t("rehearsalQuoted", { text: told });
};

/** Evidence of a change of files; null where the tool gave another kind, which is then listed as it is. */
const evidenceText = ({ at, evidence }: Extract<Rehearsal, { kind: "rehearsed" }>): string => {
  const { head, target, files, conflicts, tree } = evidence;
  const time = dateTime(at);
  if (typeof head !== "string" || typeof target !== "string" || typeof files !== "number" || !Array.isArray(conflicts))
    return t("rehearsalAt", { time });
  const params = { time, target, head: head.slice(0, SHORT), files: String(files) };
  if (conflicts.length > 0) return t("rehearsalConflicts", { ...params, conflicts: conflicts.map(String).join(", ") });
  return t("rehearsalApplied", { ...params, tree: typeof tree === "string" ? tree.slice(0, SHORT) : "" });
};

/** Evidence the page has no sentence for. */
export const otherEvidence = (told: string | Rehearsal | undefined): Readonly<Record<string, unknown>> | null =>
  told === undefined || typeof told === "string" || told.kind === "none" || typeof told.evidence["head"] === "string"
    ? null
    : told.evidence;
