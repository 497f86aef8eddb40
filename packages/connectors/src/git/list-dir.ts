import type { z } from "zod";
import type { ToolResult } from "../connector/index.ts";
import { nameOf, readPath } from "./paths.ts";
import { answer, refusal, takeLines } from "./result.ts";
import { describeFile, type Snapshot } from "./snapshot.ts";
import type { listDirArgs } from "./tools.ts";

/** `git_list_dir` (GIT-1). */
export const listDir = (snapshot: Snapshot, args: z.infer<typeof listDirArgs>, maxBytes: number): ToolResult => {
  const path = readPath(args.path ?? "");
  if (!path.ok) return refusal(path.text);
  const file = snapshot.files.get(path.path);
  if (file !== undefined) return refusal(`${path.path} is not a directory: ${describeFile(snapshot, file)}`);
  if (snapshot.list(path.path) === null) return refusal(`There is no directory ${path.path} at this commit.`);
  const lines = entries(snapshot, path.path, args.depth ?? 1, "");
  const head = `${path.path === "" ? "Root of the repository" : `${path.path}/`} at commit ${snapshot.head.commit.slice(0, 12)}, ${lines.length} entries`;
  const { text, taken } = takeLines([head, ...lines], maxBytes);
  const left = lines.length + 1 - taken;
  if (left === 0) return answer(text);
  return answer(`${text}\n[Cut: ${left} more entries. List a subdirectory or a smaller depth.]`, true);
};

const entries = (snapshot: Snapshot, path: string, depth: number, indent: string): string[] => {
  const listing = snapshot.list(path);
  if (listing === null) return [];
  const hidden = snapshot.directories.get(path)?.hidden ?? 0;
  return [
    ...listing.directories.flatMap((directory) => [
      `${indent}${nameOf(directory.path)}/`,
      ...(depth > 1 ? entries(snapshot, directory.path, depth - 1, `${indent}  `) : []),
    ]),
    ...listing.files.map((file) => `${indent}${describeFile(snapshot, file)}`),
    ...(hidden > 0 ? [`${indent}[${hidden} entries with unsafe names are not shown]`] : []),
  ];
};
