import { createHash } from "node:crypto";
import { DEMO_COMMITS, type DemoCommit } from "./demo-repository-files.ts";
import { runGit } from "./git-command.ts";

const AUTHORS = {
  maintainer: "Maintainer <maintainer@orders.example>",
  developer: "Developer <developer@orders.example>",
} as const;

const MAIN = "refs/heads/main";

/**
 * Fills an empty bare repository with the demo project "orders-service": a few weeks of history by two people, with one
 * bug worth fixing. Dates and therefore ids are the same each time. A repository that has commits is left as it is.
 * @returns the commit `main` stands at.
 */
export const seedDemoRepository = (bareDirectory: string): string => {
  if (headOf(bareDirectory) === null) {
    runGit(["-C", bareDirectory, "fast-import", "--quiet", "--date-format=raw"], importStream());
    runGit(["-C", bareDirectory, "symbolic-ref", "HEAD", MAIN]);
  }
  const head = headOf(bareDirectory);
  if (head === null) throw new Error("The demo repository could not be made.");
  return head;
};

const headOf = (directory: string): string | null => {
  const found = runGit(["-C", directory, "for-each-ref", "--format=%(objectname)", MAIN]).trim();
  return found === "" ? null : found;
};

const importStream = (): Buffer => Buffer.concat([...DEMO_COMMITS.map(commitOf), Buffer.from("done\n")]);

const commitOf = (commit: DemoCommit): Buffer => {
  const who = `${AUTHORS[commit.author]} ${Date.parse(commit.at) / 1000} +0000`;
  return Buffer.concat([
    Buffer.from(`commit ${MAIN}\nauthor ${who}\ncommitter ${who}\n`),
    data(Buffer.from(`${commit.message}\n`)),
    ...Object.entries(commit.files).map(([path, content]) => fileOf(path, content)),
    Buffer.from("\n"),
  ]);
};

const fileOf = (path: string, content: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`M 100644 inline ${path}\n`), data(Buffer.from(content))]);

const data = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`data ${bytes.byteLength}\n`), bytes, Buffer.from("\n")]);

/** Same value = the same seed; lets the start notice that the demo project changed with the product. */
export const demoRepositoryVersion = (): string =>
  createHash("sha256").update(importStream()).digest("hex").slice(0, 12);
