import { rmSync } from "node:fs";
import path from "node:path";
import type { Connector } from "@aiw/connectors/connector";
import type { JsonObject } from "@aiw/contract/tools";
import { runGit } from "@aiw/infra/local/git-command";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  callOf,
  formOf,
  pinned,
  prepare,
  prepared,
  sourceOf,
  startGitFixture,
  type GitFixture,
} from "./git-fixture.ts";

let fixture: GitFixture;
beforeAll(async () => void (fixture = await startGitFixture()));
afterAll(() => fixture.stop());

const FILES = {
  "src/a.ts": "const one = 1;\nconst two = 2;\nconst three = 3;\n",
  "src/win.txt": "one\r\ntwo\r\n",
  "src/same.txt": "x\nx\n",
  "docs/Guide.md": "# Guide\n",
  "bin.dat": Buffer.from([0, 1, 2]),
  "latin1.txt": Buffer.from("Gr\xfc\xdfe\n", "latin1"),
  ".github/workflows/ci.yml": "on: push\n",
  "aux.c": "int x;\n",
};

let count = 0;
const setUp = async (files: Readonly<Record<string, string | Uint8Array>> = FILES) => {
  count += 1;
  const repository = fixture.repository(`propose-${count}`, files);
  const connector = fixture.connector();
  return { repository, connector, context: await pinned(connector, sourceOf(repository)) };
};

describe("propose_change freezes a change", () => {
  test("replacements, whole contents, deletion and new folders become one commit, the same each time (GIT-8, APR-2)", async () => {
    const { connector, context } = await setUp();
    const args = {
      files: [
        {
          path: "src/a.ts",
          replacements: [
            { find: "one = 1", replace: "one = 11" },
            { find: "three", replace: "drei" },
          ],
        },
        { path: "docs/Guide.md", delete: true },
        { path: "new/deep/file.txt", content: "hello\n" },
        { path: "aux.c", content: "int y;\n" },
      ],
    };
    const first = await prepared(connector, args, context);
    const again = await prepared(fixture.connector(), args, context);
    expect(again).toEqual(first);
    expect(first.formVersion).toBe(1);
    expect(JSON.parse(first.form)).toMatchObject({
      formVersion: 1,
      target: "refs/heads/main",
      base: context.pin?.["commit"],
      branch: expect.stringMatching(/^refs\/heads\/ai\/0199a1b2c3d4-[0-9a-f]{12}$/),
      message: "Change something\n\nFor the test.\n\nAI-Workspace-Run: 0199a1b2-c3d4-7000-8000-000000000001\n",
    });
    expect(first.preconditions).toEqual({
      base: formOf(first).base,
      target: "refs/heads/main",
      branch: formOf(first).branch,
    });
    expect(first.preview.files?.map((file) => [file.path, file.change, file.additions, file.deletions])).toEqual([
      ["aux.c", "modified", 1, 1],
      ["docs/Guide.md", "deleted", 0, 1],
      ["new/deep/file.txt", "added", 1, 0],
      ["src/a.ts", "modified", 2, 2],
    ]);
    expect(first.preview.title.length).toBeLessThanOrEqual(200);
    const other = await prepared(connector, args, { ...context, runId: "0199a1b2-c3d4-7000-8000-000000000002" });
    expect(formOf(other).commit).not.toBe(formOf(first).commit);
  });

  test("a unified diff is applied exactly (GIT-8)", async () => {
    const { connector, context } = await setUp();
    const patch = [
      "diff --git a/src/a.ts b/src/a.ts",
      "--- a/src/a.ts",
      "+++ b/src/a.ts",
      "@@ -1,3 +1,3 @@",
      " const one = 1;",
      "-const two = 2;",
      "+const two = 22;",
      " const three = 3;",
      "diff --git a/docs/Guide.md b/docs/Guide.md",
      "deleted file mode 100644",
      "--- a/docs/Guide.md",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-# Guide",
      "diff --git a/new.txt b/new.txt",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/new.txt",
      "@@ -0,0 +1 @@",
      "+fresh",
      "",
    ].join("\n");
    const one = await prepared(connector, { patch }, context);
    expect(JSON.parse(one.form).files).toMatchObject([
      { path: "docs/Guide.md", content: null },
      { path: "new.txt", content: "fresh\n", oldOid: null },
      { path: "src/a.ts", content: "const one = 1;\nconst two = 22;\nconst three = 3;\n" },
    ]);
  });

  test("text given with LF fits a file with CRLF and keeps its line endings (N29)", async () => {
    const { connector, context } = await setUp();
    const one = await prepared(
      connector,
      { files: [{ path: "src/win.txt", replacements: [{ find: "one\ntwo", replace: "1\n2" }] }] },
      context,
    );
    expect(JSON.parse(one.form).files[0].content).toBe("1\r\n2\r\n");
  });

  test("what a plain diff hides is noted: line endings, end of file, CI configuration, binary content (N29)", async () => {
    const { connector, context } = await setUp();
    const one = await prepared(
      connector,
      {
        files: [
          { path: "src/win.txt", content: "one\ntwo\n" },
          { path: "src/a.ts", content: "const one = 1;" },
          { path: ".github/workflows/ci.yml", content: "on: pull_request\n" },
          { path: "sub/.gitlab-ci.yml", content: "a: b\n" },
          { path: "bin.dat", delete: true },
          { path: "latin1.txt", delete: true },
        ],
      },
      context,
    );
    expect(Object.fromEntries((one.preview.files ?? []).map((file) => [file.path, file.notes]))).toEqual({
      ".github/workflows/ci.yml": ["ci_configuration"],
      "bin.dat": ["binary"],
      "latin1.txt": ["binary"],
      "src/a.ts": ["no_final_newline"],
      "src/win.txt": ["line_endings"],
      "sub/.gitlab-ci.yml": ["ci_configuration"],
    });
    expect(one.preview.files?.find((file) => file.path === "bin.dat")?.diff).toBeNull();
  });

  test("a very long change shows its whole diff and says that it is large (N29)", async () => {
    const { connector, context } = await setUp({
      "a.txt": Array.from({ length: 6000 }, (_, n) => `old ${n}\n`).join(""),
    });
    const content = Array.from({ length: 6000 }, (_, n) => `new ${n}\n`).join("");
    const one = await prepared(connector, { files: [{ path: "a.txt", content }] }, context);
    const file = one.preview.files?.[0];
    expect(file).toMatchObject({ additions: 6000, deletions: 6000, notes: ["large"] });
    expect(file?.diff).toContain("+new 5999");
  });
});

const NOT_ONCE = /occurs \d+ times instead of exactly once/;

describe("propose_change refuses, and says why", () => {
  test.each<[string, JsonObject, string | RegExp]>([
    [
      "text that is not there",
      { files: [{ path: "src/a.ts", replacements: [{ find: "nowhere", replace: "x" }] }] },
      "occurs 0 times",
    ],
    [
      "text that is there twice",
      { files: [{ path: "src/same.txt", replacements: [{ find: "x", replace: "y" }] }] },
      NOT_ONCE,
    ],
    [
      "a missing file",
      { files: [{ path: "src/no.ts", replacements: [{ find: "x", replace: "y" }] }] },
      "There is no file",
    ],
    ["no change", { files: [{ path: "docs/Guide.md", content: "# Guide\n" }] }, "nothing would change"],
    ["neither files nor patch", {}, "either files or patch"],
    ["both", { files: [{ path: "a", content: "" }], patch: "x" }, "either files or patch"],
    [
      "one file twice",
      {
        files: [
          { path: "n.txt", content: "a" },
          { path: "./n.txt", content: "b" },
        ],
      },
      "named twice",
    ],
    ["a folder", { files: [{ path: "src", content: "x" }] }, "is a directory"],
    ["a file as a folder", { files: [{ path: "src/a.ts/b", content: "x" }] }, "is a file, not a directory"],
    [
      "file and folder at once",
      {
        files: [
          { path: "n", content: "x" },
          { path: "n/m", content: "y" },
        ],
      },
      "is a directory",
    ],
    ["another case", { files: [{ path: "docs/guide.md", content: "x" }] }, "only in case"],
    ["another case of a folder", { files: [{ path: "SRC/new.ts", content: "x" }] }, "only in case"],
    [
      "two cases at once",
      {
        files: [
          { path: "n.txt", content: "x" },
          { path: "N.txt", content: "y" },
        ],
      },
      "only in case",
    ],
    ["binary files", { files: [{ path: "bin.dat", content: "x" }] }, "cannot be changed as text"],
    [
      "files that are not UTF-8",
      { files: [{ path: "latin1.txt", replacements: [{ find: "e", replace: "x" }] }] },
      "not UTF-8",
    ],
    ["zero characters", { files: [{ path: "n.txt", content: "a\u0000b" }] }, "zero character"],
    ["broken Unicode", { files: [{ path: "n.txt", content: "\ud800" }] }, "not valid Unicode"],
    ["deleting nothing", { files: [{ path: "n.txt", delete: true }] }, "no file n.txt to delete"],
    ["delete and content", { files: [{ path: "n.txt", delete: true, content: "x" }] }, "not valid"],
    ["an unknown field", { files: [{ path: "n.txt", content: "x", mode: "755" }] }, "not valid"],
    ["a title of two kinds", { title: "", files: [{ path: "n.txt", content: "x" }] }, "not valid"],
    ["words as a patch", { patch: "please fix it" }, "no file was found"],
    [
      "a wrong count in a patch",
      { patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,9 +1,9 @@\n-const one = 1;\n+x\n" },
      "not a valid unified diff",
    ],
    [
      "a patch that does not fit",
      { patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-const one = 7;\n+x\n" },
      "does not fit",
    ],
    ["a patch for a missing file", { patch: "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n" }, "does not exist"],
    [
      "a patch that creates what is there",
      { patch: "--- /dev/null\n+++ b/src/a.ts\n@@ -0,0 +1 @@\n+b\n" },
      "already exists",
    ],
    [
      "a rename",
      { patch: "diff --git a/aux.c b/b.c\nsimilarity index 100%\nrename from aux.c\nrename to b.c\n" },
      "rename",
    ],
    ["a mode", { patch: "diff --git a/aux.c b/aux.c\nold mode 100644\nnew mode 100755\n" }, "modes"],
    [
      "a link by patch",
      { patch: "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n" },
      "plain files",
    ],
    ["a binary patch", { patch: "diff --git a/x b/x\nGIT binary patch\nliteral 1\n" }, "Binary"],
    ["a patch out of the repository", { patch: "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n" }, "'..'"],
    ["too much content", { files: [{ path: "n.txt", content: "x".repeat(2 * 1024 * 1024 + 1) }] }, "at most"],
  ])("%s (GIT-8)", async (_name, args, words) => {
    const { connector, context } = await shared();
    const outcome = await prepare(connector, args, context);
    expect(outcome).toMatchObject({ ok: false });
    expect(outcome.ok ? "" : outcome.text).toMatch(words);
  });

  test.each([
    "../x",
    "/x",
    "a/../b",
    ".git/hooks/pre-push",
    ".GIT/x",
    "git~1/x",
    ".git./x",
    ".git /x",
    ".gi\u200dt/x",
    ".git::$INDEX_ALLOCATION/x",
    ".gitmodules",
    ".GitModules",
    "GITMOD~1",
    "a\nb",
    "a\u0000b",
    "C:x",
    "C:\\x",
    "a\\b",
    "con",
    "nul.txt",
    "lpt1",
    "-rf",
    "a/-x",
    "x ",
    " x",
    "x.",
    "a//b",
    "./../x",
    "a/.",
    "e\u0301.txt",
    "a\u202eb",
    "\ufeffx",
    "a?b",
    "a*b",
    "a|b",
    "PROGRA~1",
    "x".repeat(300),
    `${"a/".repeat(600)}b`,
    "~/x",
  ])("the path %j is refused for a new file (N65)", async (name) => {
    const { connector, context } = await shared();
    const outcome = await prepare(connector, { files: [{ path: name, content: "x\n" }] }, context);
    expect(outcome.ok ? outcome.prepared.form : outcome.ok).toBe(false);
  });

  let once: ReturnType<typeof setUp> | undefined;
  const shared = () => (once ??= setUp());
});

test("whatever is replaced, the server's tree is the expected one and the shown diff makes the same tree (GIT-8, N29)", async () => {
  const line = fc.string({
    unit: fc.constantFrom("a", "b", " ", "ü", "€", "😀", "\t", "-", "+", "\\", "@"),
    maxLength: 6,
  });
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
    .map(([lines, ending, open]) => lines.join(ending) + (open ? "" : ending));
  const name = fc.constantFrom("a.txt", "dir/b.txt", "dir/deep/c.md", "dir-x/d", "dir.e/f", "z");
  const files = fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(
      files,
      fc.dictionary(name, fc.option(text), { minKeys: 1, noNullPrototype: true }),
      async (before, wanted) => {
        const { repository, connector, context } = await setUp({ "keep.txt": "kept\n", ...before });
        const changes = Object.entries(wanted).filter(([path, content]) => content !== null || path in before);
        const args = {
          files: changes.map(([path, content]) => (content === null ? { path, delete: true } : { path, content })),
        };
        const expected = new Map(Object.entries({ "keep.txt": "kept\n", ...before }));
        for (const [path, content] of changes) {
          if (content === null) expected.delete(path);
          else expected.set(path, content);
        }
        const outcome = changes.length === 0 ? null : await prepare(connector, args, context);
        if (outcome === null || !outcome.ok) {
          expect(outcome === null || outcome.text.includes("nothing would change")).toBe(true);
          return;
        }
        const { form } = outcome.prepared;
        const written = await connector.write(callOf("git.propose_change", {}, form), context);
        expect(written.kind).toBe("executed");
        const { branch, tree } = formOf(outcome.prepared);
        runGit(["-C", repository.directory, "fsck", "--strict", "--no-dangling"]);
        const names = runGit(["-C", repository.directory, "ls-tree", "-r", "-z", "--name-only", branch])
          .split("\0")
          .filter(Boolean);
        expect(names.sort()).toEqual([...expected.keys()].sort());
        for (const [path, content] of expected)
          expect(runGit(["-C", repository.directory, "show", `${branch}:${path}`])).toBe(content);
        expect(applied(repository.directory, outcome.prepared.preview.files ?? [])).toBe(tree);
      },
    ),
    { numRuns: 25, seed: 20261201 },
  );
}, 120_000);

/** Applies the diffs a person was shown with native git and answers the tree they make. */
const applied = (directory: string, files: readonly { diff: string | null }[]): string => {
  const copy = path.join(fixture.directory, `copy-${count}`);
  runGit(["clone", "--quiet", "--shared", "-c", "core.autocrlf=false", directory, copy]);
  // An empty file has no lines: only Git's own header says that it comes or goes.
  const patch = files.map((file) => withGitHeader(file.diff ?? "")).join("");
  runGit(["-C", copy, "apply", "--index", "--whitespace=nowarn", "-"], patch);
  const tree = runGit(["-C", copy, "write-tree"]).trim();
  rmSync(copy, { recursive: true });
  return tree;
};

const withGitHeader = (diff: string): string => {
  const [, from = "", to = ""] = /^--- (.*)\n\+\+\+ (.*)\n/.exec(diff) ?? [];
  const name = (to === "/dev/null" ? from : to).slice(2);
  const mode = from === "/dev/null" ? "new file mode 100644\n" : to === "/dev/null" ? "deleted file mode 100644\n" : "";
  const body = diff.includes("\n@@ ") ? diff : "";
  return `diff --git a/${name} b/${name}\n${mode}${body}`;
};

test("the tool schemas are strict (POL, SRC-1)", () => {
  const connector: Connector = fixture.connector();
  expect(connector.tools.map((tool) => [tool.id, tool.wireName, tool.suggestedRiskClass])).toEqual([
    ["git.list_dir", "git_list_dir", "read"],
    ["git.read_file", "git_read_file", "read"],
    ["git.search", "git_search", "read"],
    ["git.propose_change", "propose_change", "write_external"],
  ]);
  for (const tool of connector.tools)
    expect(tool.parameters).toMatchObject({ type: "object", additionalProperties: false });
});

describe("what a change of files can hide (N29)", () => {
  /** A repository with an entry of each kind, written by fast-import. */
  const odd = async () => {
    const { repository } = await setUp({ "plain.txt": "one\ntwo\n" });
    const head = runGit(["-C", repository.directory, "rev-parse", "refs/heads/main"]).toString().trim();
    const lines = [
      "commit refs/heads/main",
      "committer M <m@example.com> 1790000100 +0000",
      "data 3",
      "odd",
      `from ${head}`,
      "M 100755 inline run.sh",
      "data 10",
      "#!/bin/sh\n",
      "M 120000 inline link",
      "data 9",
      "plain.txt",
      "M 160000 1111111111111111111111111111111111111111 vendored",
      "M 100644 inline .gitattributes",
      "data 14",
      "*.txt -diff\n\n\n",
      "",
    ];
    runGit(["-C", repository.directory, "fast-import", "--quiet"], lines.join("\n"));
    const connector = fixture.connector();
    return { connector, context: await pinned(connector, sourceOf(repository)) };
  };
  const shown = async (args: JsonObject) => {
    const { connector, context } = await odd();
    const outcome = await prepare(connector, args, context);
    if (!outcome.ok) return outcome.text;
    return (outcome.prepared.preview.files ?? []).map((f) => ({
      path: f.path,
      change: f.change,
      notes: f.notes,
      diff: f.diff,
    }));
  };
  const lines = (diff: string | null | undefined): string[] =>
    (diff ?? "").split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line));

  test("N29 an executable stays executable: the mode is never changed by a change of its text", async () => {
    const { connector, context } = await odd();
    const one = await prepared(connector, { files: [{ path: "run.sh", content: "#!/bin/sh\nexit 0\n" }] }, context);
    expect(JSON.parse(one.form)).toMatchObject({ files: [{ path: "run.sh", mode: "100755" }] });
  });

  test("N29 a patch that changes a mode, renames or copies is refused: each would be more than its lines show", async () => {
    const mode = "diff --git a/plain.txt b/plain.txt\nold mode 100644\nnew mode 100755\n";
    const rename =
      "diff --git a/plain.txt b/moved.txt\nsimilarity index 100%\nrename from plain.txt\nrename to moved.txt\n";
    for (const patch of [mode, rename]) expect(await shown({ patch })).toEqual(expect.any(String));
  });

  test("N29 a rename is shown as what it is here: one file deleted and one added, each with all its lines", async () => {
    expect(
      await shown({
        files: [
          { path: "plain.txt", delete: true },
          { path: "moved.txt", content: "one\ntwo\n" },
        ],
      }),
    ).toMatchObject([
      { path: "moved.txt", change: "added", diff: expect.stringContaining("+one") },
      { path: "plain.txt", change: "deleted", diff: expect.stringContaining("-one") },
    ]);
  });

  test("N29 a symbolic link can only be deleted, and is marked as one; a submodule pointer cannot be touched", async () => {
    expect(await shown({ files: [{ path: "link", content: "elsewhere" }] })).toContain("cannot be changed as text");
    expect(await shown({ files: [{ path: "link", delete: true }] })).toMatchObject([
      { path: "link", change: "deleted", notes: expect.arrayContaining(["symlink"]) },
    ]);
    for (const file of [
      { path: "vendored", delete: true as const },
      { path: "vendored", content: "x" },
    ])
      expect(await shown({ files: [file] })).toEqual(expect.any(String));
  });

  test("N29 attributes of the repository that hide a diff hide nothing here", async () => {
    const [file] = (await shown({ files: [{ path: "plain.txt", content: "one\nthree\n" }] })) as { diff: string }[];
    expect(lines(file?.diff)).toEqual(["-two", "+three"]);
  });

  test("N29 line endings alone are a change of every line, and said to be one", async () => {
    const [file] = (await shown({ files: [{ path: "plain.txt", content: "one\r\ntwo\r\n" }] })) as {
      diff: string;
      notes: readonly string[];
    }[];
    expect(file?.notes).toContain("line_endings");
    expect(lines(file?.diff)).toEqual(["-one", "-two", "+one\r", "+two\r"]);
  });
});
