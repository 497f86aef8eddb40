import type { ApprovalDetail } from "@aiw/contract/views";
import { approvals as t } from "../../i18n/approvals.ts";
import { de } from "../../i18n/de/approvals.ts";

type Code = keyof typeof de.drift;
const isKnown = (code: string): code is Code => Object.hasOwn(de.drift, code);

/** What is different at the target, in the reader's language; the tool's own sentence where it gives no code; null: nothing is (APR-19). */
export const driftText = ({ drift, staleReason }: Pick<ApprovalDetail, "drift" | "staleReason">): string | null =>
  staleReason !== null && drift !== null && isKnown(drift.code) ? t(`drift.${drift.code}`, drift.facts) : staleReason;
