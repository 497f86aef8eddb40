import type { ApprovalDetail } from "@aiw/contract/views";
import { approvals as t } from "../../i18n/approvals.ts";

const SHORT = 12;

/**
 * What came of trying a change, in the reader's language: worded from the commits of the preview where the frozen text
 * names the same ones, otherwise that text as a quotation.
 */
export const rehearsalText = (preview: ApprovalDetail["preview"], told: string): string => {
  const short = (label: string): string =>
    preview.fields?.find((field) => field.label === label)?.value.slice(0, SHORT) ?? "";
  const [base, commit] = [short("base"), short("commit")];
  const known = base !== "" && commit !== "" && told.includes(base) && told.includes(commit);
  return known ? t("rehearsalCommit", { base, commit }) : t("rehearsalQuoted", { text: told });
};
