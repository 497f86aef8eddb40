import { preview as previewSchema } from "@aiw/contract/views";
import type { ApprovalSubject, ApprovalSummary } from "@aiw/contract/views";
import type { Tx } from "@aiw/platform/db";

/** What a frozen preview comes to; undefined where it shows no files or is not readable. */
export const subjectOf = (text: string): ApprovalSubject | undefined => {
  const preview = parsed(text);
  if (preview?.kind !== "diff" || preview.files === undefined) return undefined;
  const field = (label: string): string | undefined => preview.fields?.find((one) => one.label === label)?.value;
  const target = field("branch");
  const title = field("message")?.split("\n", 1)[0]?.trim() ?? "";
  return target === undefined ? undefined : { files: preview.files.length, target, title: title === "" ? null : title };
};

const parsed = (text: string): ReturnType<typeof previewSchema.parse> | undefined => {
  try {
    return previewSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/**
 * Adds to these requests what their previews come to. Read apart from the list, so that whole changes are loaded for the
 * requests that are shown alone, and in the transaction that may see them.
 */
export const withSubjects = async (tx: Tx, items: readonly ApprovalSummary[]): Promise<ApprovalSummary[]> => {
  if (items.length === 0) return [];
  const rows = await tx<{ id: string; preview: string }[]>`
    select id, coalesce(shown::json ->> 'preview', preview) as preview from approvals where id = any (${items.map((item) => item.id)}::uuid[])`;
  const subjects = new Map(rows.map((row) => [row.id, subjectOf(row.preview)]));
  return items.map((item) => {
    const subject = subjects.get(item.id);
    return subject === undefined ? item : { ...item, subject };
  });
};
