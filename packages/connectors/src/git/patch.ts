import { applyPatch, parsePatch, type StructuredPatch } from "diff";
import { Refusal } from "./failure.ts";

/** A wish for one file: `edit` makes the new content from the old (null = no such file); null deletes. */
export interface FileWish {
  readonly path: string;
  readonly edit: ((old: string | null, path: string) => string) | null;
}

const NOWHERE = "/dev/null";

/**
 * Reads a unified diff. Every hunk must fit exactly, context included (fuzz 0).
 * @throws Refusal for what is no such diff: renames, modes, binary content, faulty hunks.
 */
export const parsePatchText = (text: string): FileWish[] => {
  if (/^(GIT binary patch|Binary files )/m.test(text)) throw new Refusal("Binary content cannot be patched.");
  const files = parsed(text.endsWith("\n") ? text : `${text}\n`).filter(
    (file) => file.oldFileName !== undefined || file.hunks.length > 0,
  );
  if (files.length === 0) throw new Refusal("The patch is not a unified diff: no file was found in it.");
  return files.map(wishOf);
};

const parsed = (text: string): StructuredPatch[] => {
  try {
    return parsePatch(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be read";
    throw new Refusal(
      `The patch is not a valid unified diff: ${reason.slice(0, 300)}. The counts in the @@ lines must fit.`,
    );
  }
};

const wishOf = (file: StructuredPatch): FileWish => {
  const from = nameIn(file.oldFileName);
  const to = nameIn(file.newFileName);
  if (file.isRename === true || file.isCopy === true || (from !== null && to !== null && from !== to)) {
    throw new Refusal("A patch cannot rename or copy. Delete the old file and create the new one with files.");
  }
  if (file.oldMode !== undefined && file.newMode !== undefined && file.oldMode !== file.newMode) {
    throw new Refusal("A patch cannot change file modes.");
  }
  if (file.newMode !== undefined && file.newMode !== "100644" && file.isCreate === true) {
    throw new Refusal("New files are plain files (mode 100644).");
  }
  const path = to ?? from;
  if (path === null)
    throw new Refusal("The patch does not name its files: lines '--- a/path' and '+++ b/path' are needed.");
  if (file.hunks.length === 0 && to !== null && from !== null) throw new Refusal(`The patch has no hunks for ${path}.`);
  return {
    path,
    edit: to === null ? deletes(file, path) : (old) => patched(file, old, path, from === null),
  };
};

const deletes = (file: StructuredPatch, path: string): null => {
  if (file.hunks.some((hunk) => hunk.lines.some((line) => line.startsWith("+") || line.startsWith(" ")))) {
    throw new Refusal(`The patch deletes ${path} but keeps lines of it.`);
  }
  return null;
};

const patched = (file: StructuredPatch, old: string | null, path: string, creates: boolean): string => {
  if (creates && old !== null) throw new Refusal(`The patch creates ${path}, which already exists.`);
  if (!creates && old === null) throw new Refusal(`The patch changes ${path}, which does not exist.`);
  const result = applyPatch(old ?? "", file, { fuzzFactor: 0 });
  if (result === false) {
    throw new Refusal(`The patch does not fit ${path} as it is at the commit of this run. Read the file again.`);
  }
  return result;
};

/** null for /dev/null; the leading a/ or b/ goes. */
const nameIn = (name: string | undefined): string | null => {
  if (name === undefined || name === NOWHERE) return null;
  return name.replace(/^[ab]\//, "");
};
