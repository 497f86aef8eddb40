import { Refusal } from "./failure.ts";
import type { GitLimits } from "./limits.ts";
import { parsePatchText, type FileWish } from "./patch.ts";
import { collisionKey, newPath, parentsOf, readPath } from "./paths.ts";
import { describeFile, type Snapshot, type SnapshotFile } from "./snapshot.ts";
import type { FileChangeArgs, ProposeChangeArgs } from "./tools.ts";

/** What becomes of one file. `old` is null for a new file, `content` for a deleted one. */
export interface FileChange {
  readonly path: string;
  readonly old: SnapshotFile | null;
  readonly content: string | null;
}

/**
 * Turns the arguments of `propose_change` into changed files, sorted by path.
 * @throws Refusal that tells the model what to do otherwise.
 */
export const changesOf = (snapshot: Snapshot, args: ProposeChangeArgs, limits: GitLimits): readonly FileChange[] => {
  if ((args.files === undefined) === (args.patch === undefined))
    throw new Refusal("Give either files or patch, and not both.");
  const wishes = args.patch === undefined ? (args.files ?? []).map(wishOf) : parsePatchText(args.patch);
  if (wishes.length > limits.maxChangeFiles)
    throw new Refusal(`A change may have at most ${limits.maxChangeFiles} files.`);
  const changes: FileChange[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const wish of wishes) {
    const change = apply(snapshot, wish);
    if (seen.has(change.path))
      throw new Refusal(`${change.path} is named twice. Put all changes of a file into one entry.`);
    seen.add(change.path);
    bytes += Buffer.byteLength(change.content ?? "");
    if (bytes > limits.maxChangeBytes)
      throw new Refusal(`A change may have at most ${limits.maxChangeBytes} bytes of content.`);
    if (change.content === null || change.old === null || change.content !== snapshot.read(change.old))
      changes.push(change);
  }
  if (changes.length === 0)
    throw new Refusal("The proposed content is what the repository already has; nothing would change.");
  checkPlaces(snapshot, changes);
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
};

const wishOf = (file: FileChangeArgs): FileWish => {
  if ("delete" in file) return { path: file.path, edit: null };
  if ("content" in file) return { path: file.path, edit: () => file.content };
  return { path: file.path, edit: (old, path) => replaceAll(old, path, file.replacements) };
};

const apply = (snapshot: Snapshot, wish: FileWish): FileChange => {
  const path = readPath(wish.path);
  if (!path.ok) throw new Refusal(path.text);
  if (snapshot.list(path.path) !== null)
    throw new Refusal(`${path.path === "" ? "The root" : path.path} is a directory.`);
  const old = snapshot.files.get(path.path) ?? null;
  if (wish.edit === null) return deletion(old, path.path);
  if (old === null) {
    const fresh = newPath(wish.path);
    if (!fresh.ok) throw new Refusal(fresh.text);
  }
  if (old !== null && old.kind !== "text") {
    throw new Refusal(`${path.path} cannot be changed as text: ${describeFile(snapshot, old)}.`);
  }
  const content = wish.edit(old === null ? null : snapshot.read(old), path.path);
  if (!content.isWellFormed()) throw new Refusal(`The content of ${path.path} is not valid Unicode.`);
  if (content.includes("\0"))
    throw new Refusal(`The content of ${path.path} has a zero character; only text can be written.`);
  return { path: path.path, old, content };
};

const deletion = (old: SnapshotFile | null, path: string): FileChange => {
  if (old === null) throw new Refusal(`There is no file ${path} to delete.`);
  if (old.kind === "submodule") throw new Refusal(`${path} is a submodule and cannot be deleted here.`);
  return { path, old, content: null };
};

const replaceAll = (old: string | null, path: string, steps: readonly { find: string; replace: string }[]): string => {
  if (old === null) throw new Refusal(`There is no file ${path}. Give content to create it.`);
  let text = old;
  for (const [index, step] of steps.entries()) {
    const { find, replace } = inLineEndingsOf(text, step);
    const count = occurrences(text, find);
    if (count !== 1) {
      const advice =
        count === 0 ? "Read the file again and copy the text exactly." : "Give more of the surrounding text.";
      throw new Refusal(
        `${path}: the text of replacement ${index + 1} occurs ${count} times instead of exactly once. ${advice}`,
      );
    }
    const at = text.indexOf(find);
    text = text.slice(0, at) + replace + text.slice(at + find.length);
  }
  return text;
};

/** In a file with CRLF throughout, text given with LF means its lines. */
const inLineEndingsOf = (text: string, step: { find: string; replace: string }): { find: string; replace: string } => {
  const crlf = text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
  if (!crlf || step.find.includes("\r") || step.replace.includes("\r")) return step;
  return { find: step.find.replaceAll("\n", "\r\n"), replace: step.replace.replaceAll("\n", "\r\n") };
};

const occurrences = (text: string, find: string): number => {
  let count = 0;
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + 1)) count += 1;
  return count;
};

/** A place must not be file and directory at once, nor differ from another only in case (N65). */
const checkPlaces = (snapshot: Snapshot, changes: readonly FileChange[]): void => {
  const deleted = new Set(changes.filter((change) => change.content === null).map((change) => change.path));
  const files = [...snapshot.files.keys()].filter((path) => !deleted.has(path));
  const added = changes.filter((change) => change.old === null).map((change) => change.path);
  const allFiles = new Set([...files, ...added]);
  const directories = new Set([...allFiles].flatMap(parentsOf));
  for (const path of added) {
    if (directories.has(path)) throw new Refusal(`${path} is a directory.`);
    const blocked = parentsOf(path).find((parent) => allFiles.has(parent));
    if (blocked !== undefined) throw new Refusal(`${blocked} is a file, not a directory, so ${path} cannot be made.`);
  }
  const spelled = new Map<string, string>();
  for (const place of [...files, ...files.flatMap(parentsOf)]) spelled.set(collisionKey(place), place);
  for (const place of new Set(added.flatMap((path) => [path, ...parentsOf(path)]))) {
    const other = spelled.get(collisionKey(place));
    if (other !== undefined && other !== place) throw new Refusal(`${place} differs from ${other} only in case.`);
    spelled.set(collisionKey(place), place);
  }
};
