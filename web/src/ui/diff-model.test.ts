import { describe, expect, test } from "vitest";
import { type DiffModel, diffModel } from "./diff-model.ts";

const hunks = (model: DiffModel): Extract<DiffModel, { kind: "hunks" }> => {
  if (model.kind !== "hunks") throw new Error(`expected hunks, got ${model.kind}`);
  return model;
};
const patch = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-const a = foo(bar);\n+const a = foo(baz);\n two\n";

describe("the diff view shows all of the change or the raw patch (APR-1, APR-2)", () => {
  test("lines are numbered on both sides", () => {
    const lines = hunks(diffModel(patch)).hunks[0]?.lines ?? [];
    expect(lines.map((line) => [line.kind, line.oldLine, line.newLine])).toEqual([
      ["context", 1, 1],
      ["del", 2, null],
      ["add", null, 2],
      ["context", 3, 3],
    ]);
  });
  test("changed words are marked", () => {
    const lines = hunks(diffModel(patch)).hunks[0]?.lines ?? [];
    const changed = lines.map((line) => line.parts.filter((part) => part.changed).map((part) => part.text));
    expect(changed).toEqual([[], ["bar"], ["baz"], []]);
  });
  test("git headers, a missing last line feed and a new file are read", () => {
    const model = hunks(
      diffModel(
        "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
      ),
    );
    expect(model.additions).toBe(2);
    expect(model.hunks[0]?.lines.map((line) => line.noNewline)).toEqual([false, true]);
  });
  test("hidden characters of a changed line are counted and escaped", () => {
    const model = hunks(diffModel("@@ -1 +1 @@\n-if (admin) {\n+if (ad\u200Bmin) {\n"));
    expect(model.disguised).toBe(1);
    expect(model.hunks[0]?.lines[1]?.parts.map((part) => part.text).join("")).toBe("if (ad⟨U+200B⟩min) {");
  });
  test("a changed line ending is visible on the line", () => {
    const model = hunks(diffModel("@@ -1 +1 @@\n-a\n+a\r\n"));
    expect(model.hunks[0]?.lines[1]?.parts.at(-1)).toEqual({ text: "␍", lineEnd: true, changed: true });
    expect(model.disguised).toBe(0);
  });
  test("APR-2: a file with CR LF line ends raises no alarm; a carriage return inside a line, or before no line feed, does", () => {
    const file = hunks(diffModel("@@ -1,3 +1,3 @@\n one\r\n-const a = 1;\r\n+const a = 2;\r\n \r\n"));
    expect(file.disguised).toBe(0);
    expect(file.hunks[0]?.lines.map((line) => line.parts.at(-1))).toEqual(
      Array<unknown>(4).fill({ text: "␍", lineEnd: true, changed: false }),
    );
    const inside = hunks(diffModel("@@ -1 +1,2 @@\n-safe\r\n+safe\rdanger\r\n+more\r\r\n"));
    expect(inside.disguised).toBe(2);
    const last = hunks(diffModel("@@ -1 +1 @@\n-a\n+a\r\n\\ No newline at end of file\n"));
    expect(last.disguised).toBe(1);
  });
  test.each([
    ["a wrong hunk count", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n"],
    ["a line without its sign", "@@ -1,2 +1,2 @@\n a\nb\n"],
    ["text behind the last hunk", "@@ -1 +1 @@\n-a\n+b\nmore\n"],
    ["no hunk at all", "some words\n"],
    ["two files in one patch", `${patch}${patch}`],
  ])("%s shows the raw patch", (_name, text) => {
    expect(diffModel(text)).toEqual({ kind: "raw", text, disguised: 0 });
  });
  test("no text diff is said, not shown as an empty one", () => {
    expect(diffModel(null)).toEqual({ kind: "empty" });
    expect(diffModel("\n")).toEqual({ kind: "empty" });
  });
  test("an empty file that comes or goes is no fault", () => {
    expect(diffModel("--- /dev/null\n+++ b/empty.txt\n")).toEqual({ kind: "empty" });
    expect(diffModel("old mode 100644\nnew mode 100755\n").kind).toBe("raw");
  });
  test("an inserted line does not take the marks of the changed one", () => {
    const model = hunks(
      diffModel("@@ -1 +1,2 @@\n-  sum += price * count;\n+  // rounded\n+  sum += round(price * count);\n"),
    );
    const changed = model.hunks[0]?.lines.map((line) =>
      line.parts
        .filter((part) => part.changed)
        .map((part) => part.text)
        .join("|"),
    );
    expect(changed?.[1]).toBe("");
    expect(changed?.[2]).toContain("round(");
  });
  test("lines that look like headers stay content", () => {
    const model = hunks(diffModel("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n-a\n+++ new\n+@@ -1 +1 @@\n"));
    expect(model.hunks[0]?.lines.map((line) => line.kind)).toEqual(["del", "del", "add", "add"]);
  });
});
