import type { ApprovalDetail } from "@aiw/contract/views";
import { approvals as t } from "../../i18n/approvals.ts";
import { de } from "../../i18n/de/approvals.ts";

type Kind = ApprovalDetail["preview"]["kind"];
type DiffField = keyof typeof de.field;
const isDiffField = (label: string): label is DiffField => Object.hasOwn(de.field, label);
type PreconditionKey = keyof typeof de.precondition;
const isPrecondition = (key: string): key is PreconditionKey => Object.hasOwn(de.precondition, key);

/** Labels and remarks that our own previews of calls to servers are frozen with. Names of arguments hold no blanks, so none can pass for one. */
const CALL_LABELS: Readonly<Record<string, "call.sentTo" | "call.tool">> = {
  "sent to (server and address)": "call.sentTo",
  "tool at the server": "call.tool",
};
const SET_BY_PLATFORM = " (set by the platform)";
const KEY_OF_REQUEST = "the key of this request, so that the server can recognise a repetition";

/** A label of a frozen preview in the reader's language; what was frozen and hashed stays as it is. Others, names of arguments among them, stay as they are. */
export const fieldLabel = (kind: Kind, label: string): string => {
  if (kind === "diff") return isDiffField(label) ? t(`field.${label}`) : label;
  const known = Object.hasOwn(CALL_LABELS, label) ? CALL_LABELS[label] : undefined;
  if (known !== undefined) return t(known);
  return label.endsWith(SET_BY_PLATFORM)
    ? t("call.setByPlatform", { name: label.slice(0, -SET_BY_PLATFORM.length) })
    : label;
};

/** A value of a frozen preview: only a sentence of our own, under a label of our own, is worded. */
export const fieldValue = (kind: Kind, label: string, value: string): string =>
  kind === "arguments" && label.endsWith(SET_BY_PLATFORM) && value === KEY_OF_REQUEST ? t("call.keyOfRequest") : value;

/** What must still hold at the target, named in the reader's language. */
export const preconditionLabel = (key: string): string => (isPrecondition(key) ? t(`precondition.${key}`) : key);
