/** Characters that HFS+ ignores in names, so that `.g\u200cit` would be `.git` there. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/u;
const WINDOWS_FORBIDDEN = /[<>:"|?*\\]/;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i;

const MAX_PATH_BYTES = 1024;
const MAX_NAME_BYTES = 255;

const windowsForm = (name: string): string =>
  name
    .replace(HFS_IGNORED, "")
    .toLowerCase()
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");

/** `.git` in any spelling a file system could take for it (case, NTFS, HFS+). */
export const isGitDirectory = (name: string): boolean => /^(\.git|git~\d+)$/.test(windowsForm(name));

const isGitModules = (name: string): boolean => /^(\.gitmodules|gitmod~\d+|gi7eba~\d+)$/.test(windowsForm(name));

/**
 * A name in a tree that may be kept and shown. Others are counted, never used (M11). It is only a key here, never a name
 * on a disk, so that `aux.c` or a trailing space, which repositories do have, stay readable.
 */
export const isReadableName = (name: string): boolean =>
  name !== "" && name !== "." && name !== ".." && !name.includes("/") && !CONTROL.test(name) && !isGitDirectory(name);

export type PathResult = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly text: string };

const refuse = (text: string): PathResult => ({ ok: false, text });

/** Reads a path of the model: relative to the root of the repository, "" for the root itself. */
export const readPath = (input: string): PathResult => {
  const path = input.replace(/^\.\//, "").replace(/\/$/, "");
  if (path === "" || path === ".") return { ok: true, path: "" };
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return refuse(`The path is longer than ${MAX_PATH_BYTES} bytes.`);
  if (path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:[\\/]/.test(path)) {
    return refuse("Paths are relative to the root of the repository; absolute paths are not possible.");
  }
  if (CONTROL.test(path)) return refuse("The path has control characters.");
  const parts = path.split("/");
  if (parts.includes("..") || parts.includes(".") || parts.includes("")) {
    return refuse("The path must not have '..', '.' or empty parts.");
  }
  if (parts.some(isGitDirectory)) return refuse("Paths inside .git are not possible.");
  return { ok: true, path };
};

/** A path for a file that does not exist yet: must be safe to check out on every file system (N65). */
export const newPath = (input: string): PathResult => {
  const read = readPath(input);
  if (!read.ok) return read;
  if (read.path === "") return refuse("The path of a file is missing.");
  if (!input.isWellFormed() || HIDDEN.test(read.path)) return refuse("The path has invisible characters.");
  if (read.path.normalize("NFC") !== read.path) return refuse("The path must be in Unicode normal form C.");
  for (const part of read.path.split("/")) {
    const fault = partFault(part);
    if (fault !== null) return refuse(`'${part}' in the path ${fault}.`);
  }
  return read;
};

const partFault = (part: string): string | null => {
  if (Buffer.byteLength(part) > MAX_NAME_BYTES) return `is longer than ${MAX_NAME_BYTES} bytes`;
  if (part.startsWith("-")) return "begins with '-'";
  if (/^\s|[\s.]$/u.test(part)) return "begins with a space or ends with a space or a dot";
  if (WINDOWS_FORBIDDEN.test(part)) return 'has one of the characters < > : " | ? * \\';
  if (WINDOWS_DEVICE.test(part)) return "is a device name on Windows";
  if (isGitModules(part)) return "would change submodules, which is not possible";
  if (/~\d+$/.test(part.replace(/\.[^.]*$/, ""))) return "looks like a short name on Windows";
  return null;
};

/** Same key = the same file on a file system that ignores case. */
export const collisionKey = (path: string): string => path.normalize("NFC").toLowerCase();

/** All directories above a path, the nearest first, without the root. */
export const parentsOf = (path: string): string[] => {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - 1 - index).join("/"));
};

export const directoryOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const CI_FILES =
  /^(\.github\/(workflows|actions)\/|\.gitea\/(workflows|actions)\/|\.forgejo\/(workflows|actions)\/|\.circleci\/|\.woodpecker(\/|\.ya?ml$)|\.buildkite\/|\.husky\/|\.githooks\/|\.teamcity\/|\.gitlab\/ci\/)|(^|\/)(\.gitlab-ci[^/]*\.ya?ml|jenkinsfile[^/]*|bitbucket-pipelines\.ya?ml|azure-pipelines[^/]*\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|appveyor\.ya?ml|cloudbuild\.ya?ml|buildspec\.ya?ml|\.pre-commit-config\.ya?ml|lefthook\.ya?ml)$/i;

/** Files whose change makes a build server or a hook run something (N29). */
export const isCiConfiguration = (path: string): boolean => CI_FILES.test(path);
