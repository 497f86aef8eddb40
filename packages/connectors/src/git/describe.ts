import type { SourceAccess } from "../connector/index.ts";
import { nameOf } from "./paths.ts";
import { takeLines } from "./result.ts";
import { describeFile, type Snapshot } from "./snapshot.ts";

const MAX_CONVENTIONS_BYTES = 8 * 1024;
const MAX_SUMMARY_BYTES = 4 * 1024;

/** What the prompt says of a repository: where it stands, its top level, and AGENTS.md as data (GIT-9, N70). */
export const describeSource = (
  snapshot: Snapshot,
  source: SourceAccess,
  target: string,
): { readonly summary: string; readonly conventions: string | null } => {
  const { commit, subject } = snapshot.head;
  const root = snapshot.list("");
  const { text } = takeLines(
    [
      `Git repository "${source.name}", branch ${target.replace(/^refs\/heads\//, "")}, pinned at commit ${commit} (${JSON.stringify(subject)}), ${snapshot.files.size} files. Top level:`,
      ...(root?.directories ?? []).map((directory) => `${nameOf(directory.path)}/`),
      ...(root?.files ?? []).map((file) => describeFile(snapshot, file)),
    ],
    MAX_SUMMARY_BYTES,
  );
  return { summary: text, conventions: conventionsOf(snapshot) };
};

const conventionsOf = (snapshot: Snapshot): string | null => {
  const file = snapshot.files.get("AGENTS.md");
  if (file?.kind !== "text") return null;
  const content = snapshot.read(file);
  if (content === null || content.trim() === "") return null;
  if (Buffer.byteLength(content) <= MAX_CONVENTIONS_BYTES) return content;
  const cut = Buffer.from(content)
    .subarray(0, MAX_CONVENTIONS_BYTES)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
  return `${cut}\n[Cut at ${MAX_CONVENTIONS_BYTES} bytes of ${file.size}.]`;
};
