import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, decodeEntities, type Inline, MAX_MARKDOWN, readMarkdown, safeHref } from "./markdown-model.ts";

const flat = (nodes: readonly (Block | Inline)[]): (Block | Inline)[] =>
  nodes.flatMap((node) => {
    const below: (Block | Inline)[] = [];
    if ("children" in node) below.push(...node.children);
    if (node.kind === "list") below.push(...node.items.flatMap((i) => i.children));
    if (node.kind === "table") below.push(...node.head.flat(), ...node.rows.flat(2));
    return [node, ...flat(below)];
  });
const kinds = new Set([
  "text",
  "strong",
  "em",
  "del",
  "code",
  "br",
  "link",
  "image",
  "paragraph",
  "heading",
  "quote",
  "list",
  "table",
  "rule",
  "plain",
]);
const texts = (source: string): string =>
  flat(readMarkdown(source))
    .map((n) => ("text" in n ? n.text : ""))
    .join("");

test("CHT-7: raw HTML comes out as text", () => {
  const source = 'Hello <b onclick="x()">you</b>\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>';
  expect(texts(source)).toContain("<script>alert(1)</script>");
  expect(texts(source)).toContain('<b onclick="x()">');
  expect(flat(readMarkdown(source)).every((n) => kinds.has(n.kind))).toBe(true);
});

test("CHT-7: links go to http, https and mailto only; others stay text", () => {
  expect(safeHref("https://example.org/a")).toBe("https://example.org/a");
  expect(safeHref("mailto:a@example.org")).toBe("mailto:a@example.org");
  for (const bad of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "//example.org",
    "/local",
    "java\nscript:alert(1)",
    " https://x",
    "https://",
  ]) {
    expect(safeHref(bad), bad).toBeNull();
  }
  const nodes = flat(readMarkdown("[a](javascript:alert(1)) [b](https://example.org) <javascript:alert(1)> [c](x.ts)"));
  expect(nodes.filter((n) => n.kind === "link").map((n) => (n.kind === "link" ? n.href : ""))).toEqual([
    "https://example.org",
  ]);
});

test("CHT-7: a link whose text hides its target says where it goes", () => {
  const links = flat(readMarkdown("[bank.example](https://evil.example) and https://plain.example")).filter(
    (n) => n.kind === "link",
  );
  expect(links.map((n) => (n.kind === "link" ? n.bare : null))).toEqual([false, true]);
});

test("CHT-7: an image becomes its address", () => {
  const [image] = flat(readMarkdown("![cat](https://evil.example/p.png?secret)")).filter((n) => n.kind === "image");
  expect(image).toEqual({ kind: "image", alt: "cat", url: "https://evil.example/p.png?secret" });
});

test("CHT-7: entities in text are decoded once, in code not at all", () => {
  expect(decodeEntities("&lt;b&gt; &amp;lt; &#65;&#x42; &#0; &#xD800; &unknown;")).toBe(
    "<b> &lt; AB \ufffd \ufffd &unknown;",
  );
  expect(texts("a &lt;b&gt; `&lt;`")).toBe("a <b> &lt;");
});

test("CHT-7: hostile nesting and size come back as plain text, quickly", () => {
  const started = Date.now();
  for (const source of [
    ">".repeat(5000) + "x",
    "- ".repeat(3000) + "x",
    "> * ".repeat(400),
    "1. ".repeat(500),
    "a".repeat(MAX_MARKDOWN + 1),
  ]) {
    expect(readMarkdown(source)).toEqual([{ kind: "plain", text: source }]);
  }
  readMarkdown("[".repeat(20_000));
  readMarkdown("*a **b ".repeat(5_000));
  readMarkdown("|a".repeat(2_000) + "\n" + "|-".repeat(2_000));
  expect(Date.now() - started).toBeLessThan(10_000);
});

test("CHT-7: nothing but the known shapes comes out, whatever goes in", () => {
  const piece = fc.constantFrom(
    "# ",
    "> ",
    "- ",
    "1. ",
    "```",
    "`",
    "**",
    "_",
    "[x](",
    ")",
    "![",
    "](",
    "<b>",
    "</b>",
    "\n",
    "\n\n",
    "| a | b |\n|---|---|\n",
    "&lt;",
    "https://example.org ",
    "text ",
    "- [x] ",
    "~~",
    "    ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
      for (const node of flat(readMarkdown(parts.join("")))) {
        expect(kinds.has(node.kind)).toBe(true);
        if (node.kind === "link") expect(safeHref(node.href)).toBe(node.href);
      }
    }),
    { numRuns: 300 },
  );
});

test("CHT-2: headings, lists, tasks, tables and code keep their structure", () => {
  const all = readMarkdown(
    "# One\n\n1. a\n2. b\n\n- [x] done\n- [ ] open\n\n| h |\n|--:|\n| c |\n\n```ts x\nlet a\n```\n\n> q\n\n---",
  );
  expect(all.map((n) => n.kind)).toEqual(["heading", "list", "list", "table", "code", "quote", "rule"]);
  expect(all[0]).toMatchObject({ level: 3 });
  expect(all[2]).toMatchObject({ start: null, items: [{ checked: true }, { checked: false }] });
  expect(all[3]).toMatchObject({ align: ["right"] });
  expect(all[4]).toEqual({ kind: "code", lang: "ts", text: "let a" });
});

test("OPS-10: headings never skip a level, wherever the text begins", () => {
  const levels = (source: string) => readMarkdown(source).flatMap((n) => (n.kind === "heading" ? [n.level] : []));
  expect(levels("## a\n\n#### b\n\n# c\n\n### d")).toEqual([3, 4, 3, 4]);
});
