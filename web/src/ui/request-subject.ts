import type { ApprovalDetail, ApprovalSubject, ApprovalSummary } from "@aiw/contract/views";
import { t } from "../i18n/index.ts";

type Item = Pick<ApprovalSummary, "title" | "subject" | "sourceName"> & Partial<Pick<ApprovalDetail, "preview">>;

/** What a request comes to, as the server says or from the preview that is shown; undefined where there are no files. */
export function subjectOf(item: Item): ApprovalSubject | undefined {
  if (item.subject !== undefined) return item.subject;
  const { preview } = item;
  if (preview?.kind !== "diff" || preview.files === undefined) return undefined;
  const field = (label: string): string | undefined => preview.fields?.find((one) => one.label === label)?.value;
  const target = field("branch");
  const title = field("message")?.split("\n", 1)[0]?.trim() ?? "";
  return target === undefined ? undefined : { files: preview.files.length, target, title: title === "" ? null : title };
}

const LONG = 24;

/** A branch in few characters: its first part and its end, which tell it from others. */
export function shortTarget(target: string): string {
  if (target.length <= LONG) return target;
  const folder = target.slice(0, target.indexOf("/") + 1).slice(0, 8);
  return `${folder}…${target.slice(-8)}`;
}

/** A request in one line of the reader's language, made of real parameters; the server's own title where there are none. */
export function requestLine(item: Item, short = false): string {
  const subject = subjectOf(item);
  if (subject === undefined) return item.title;
  const files = t("subject.files", subject.files);
  const target = short ? shortTarget(subject.target) : subject.target;
  return item.sourceName === null
    ? t("subject.lineNoSource", { files, target })
    : t("subject.line", { files, target, source: item.sourceName });
}

/** What the model calls its change, as a quotation; undefined where it is in the line already. */
export function requestQuote(item: Item): string | undefined {
  const title = subjectOf(item)?.title ?? null;
  return title === null ? undefined : t("subject.ai", { title });
}
