import { Lexer, type Token, type Tokens } from "marked";

/**
 * Markdown as a small tree of known shapes (CHT-7). Nothing else can come out: raw HTML, unknown tokens and refused
 * links become text, images become their address. No HTML string exists at any point.
 */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "strong"; readonly children: readonly Inline[] }
  | { readonly kind: "em"; readonly children: readonly Inline[] }
  | { readonly kind: "del"; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "br" }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[]; readonly bare: boolean }
  | { readonly kind: "image"; readonly alt: string; readonly url: string };

export type Block =
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: 3 | 4 | 5 | 6; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly lang: string; readonly text: string }
  | { readonly kind: "quote"; readonly children: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly ListItem[] }
  | {
      readonly kind: "table";
      readonly align: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: "rule" }
  | { readonly kind: "plain"; readonly text: string };

export interface ListItem {
  readonly checked: boolean | null;
  readonly children: readonly Block[];
}
export type Align = "left" | "right" | "center" | null;

/** Longer texts are shown as plain text: lexing them would block the page. */
export const MAX_MARKDOWN = 200_000;
const MAX_MARKERS = 20;
const MAX_DEPTH = 24;
const NESTED = new RegExp(`^[ \\t]*(?:(?:[>*+-]|\\d{1,9}[.)])[ \\t]*){${MAX_MARKERS + 1},}`, "m");

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Text tokens keep their entities; code tokens are literal and never come here. */
export const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g,
    (whole, dec?: string, hex?: string, named?: string) => {
      if (named !== undefined) return ENTITIES[named] ?? whole;
      const point = dec === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(dec, 10);
      const invalid = !(point > 0 && point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff);
      return invalid ? "\ufffd" : String.fromCodePoint(point);
    },
  );

/** The address of a link if its scheme is http, https or mailto, otherwise null. */
export const safeHref = (href: string): string | null => {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return null;
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(href).protocol) ? href : null;
  } catch {
    return null;
  }
};

const text = (value: string): Inline => ({ kind: "text", text: value });
const isToken = <T extends Tokens.Generic>(token: Token, type: string): token is Extract<Token, T> & T =>
  token.type === type;

const inlines = (tokens: readonly Token[] | undefined, depth: number): Inline[] =>
  (tokens ?? []).map((token) => inline(token, depth + 1));

const link = (token: Tokens.Link, depth: number): Inline => {
  const href = safeHref(token.href);
  if (href === null) return text(token.raw);
  return {
    kind: "link",
    href,
    children: inlines(token.tokens, depth),
    bare: decodeEntities(token.text) === href || `mailto:${token.text}` === href,
  };
};

const inline = (token: Token, depth: number): Inline => {
  if (depth > MAX_DEPTH) return text(token.raw);
  if (isToken<Tokens.Text>(token, "text"))
    return token.tokens === undefined ? text(decodeEntities(token.text)) : group(token.tokens, depth);
  if (isToken<Tokens.Escape>(token, "escape")) return text(decodeEntities(token.text));
  if (isToken<Tokens.Codespan>(token, "codespan")) return { kind: "code", text: token.text };
  if (isToken<Tokens.Br>(token, "br")) return { kind: "br" };
  if (isToken<Tokens.Strong>(token, "strong")) return { kind: "strong", children: inlines(token.tokens, depth) };
  if (isToken<Tokens.Em>(token, "em")) return { kind: "em", children: inlines(token.tokens, depth) };
  if (isToken<Tokens.Del>(token, "del")) return { kind: "del", children: inlines(token.tokens, depth) };
  if (isToken<Tokens.Image>(token, "image")) return { kind: "image", alt: token.text, url: token.href };
  if (isToken<Tokens.Link>(token, "link")) return link(token, depth);
  return text(token.raw);
};

/** A text token that holds tokens of its own: one of them stands for itself, several are joined without markup. */
const group = (tokens: readonly Token[], depth: number): Inline => {
  const all = inlines(tokens, depth);
  const only = all.length === 1 ? all[0] : undefined;
  return only ?? { kind: "link", href: "", children: all, bare: true };
};

/** Links without address come from `group` only; they are dissolved here. */
const dissolve = (all: readonly Inline[]): Inline[] =>
  all.flatMap((node) => (node.kind === "link" && node.href === "" ? dissolve(node.children) : [node]));

const line = (tokens: readonly Token[] | undefined, depth: number): Inline[] => dissolve(inlines(tokens, depth));

const headingLevel = (depth: number): 3 | 4 | 5 | 6 => (depth <= 1 ? 3 : depth === 2 ? 4 : depth === 3 ? 5 : 6);

const list = (token: Tokens.List, depth: number): Block => ({
  kind: "list",
  start: token.ordered ? Number(token.start) || 0 : null,
  items: token.items.map((item) => ({
    checked: item.task ? item.checked === true : null,
    children: blocks(item.tokens, depth + 1),
  })),
});

const table = (token: Tokens.Table, depth: number): Block => ({
  kind: "table",
  align: token.align.map((a) => a ?? null),
  head: token.header.map((cell) => line(cell.tokens, depth)),
  rows: token.rows.map((row) => row.map((cell) => line(cell.tokens, depth))),
});

const block = (token: Token, depth: number): Block => {
  if (depth > MAX_DEPTH) return { kind: "plain", text: token.raw };
  if (isToken<Tokens.Paragraph>(token, "paragraph")) return { kind: "paragraph", children: line(token.tokens, depth) };
  if (isToken<Tokens.Text>(token, "text")) return { kind: "paragraph", children: line(token.tokens ?? [token], depth) };
  if (isToken<Tokens.Heading>(token, "heading"))
    return { kind: "heading", level: headingLevel(token.depth), children: line(token.tokens, depth) };
  if (isToken<Tokens.Code>(token, "code"))
    return { kind: "code", lang: (token.lang ?? "").split(/\s/)[0] ?? "", text: token.text };
  if (isToken<Tokens.Blockquote>(token, "blockquote"))
    return { kind: "quote", children: blocks(token.tokens, depth + 1) };
  if (isToken<Tokens.List>(token, "list")) return list(token, depth);
  if (isToken<Tokens.Table>(token, "table")) return table(token, depth);
  if (isToken<Tokens.Hr>(token, "hr")) return { kind: "rule" };
  return { kind: "plain", text: token.raw };
};

/** The checkbox of a task is carried by the item itself. */
const silent = new Set(["space", "checkbox", "def"]);
const blocks = (tokens: readonly Token[], depth: number): Block[] =>
  tokens.filter((token) => !silent.has(token.type)).map((token) => block(token, depth));

const isLevel = (level: number): level is 3 | 4 | 5 | 6 => level >= 3 && level <= 6;

/** Headings go down one level at a time, wherever the text began: the page around them stays in order. */
const inOrder = (all: readonly Block[]): Block[] => {
  let before = 2;
  return all.map((node) => {
    if (node.kind !== "heading") return node;
    const level = Math.min(node.level, before + 1);
    before = level;
    return isLevel(level) ? { ...node, level } : node;
  });
};

/** Reads Markdown. Text that is too long, nested to harm, or unreadable comes back as it is. */
export const readMarkdown = (source: string): readonly Block[] => {
  const plain: readonly Block[] = [{ kind: "plain", text: source }];
  if (source.length > MAX_MARKDOWN || NESTED.test(source)) return plain;
  try {
    return inOrder(blocks(new Lexer({ gfm: true }).lex(source), 0));
  } catch {
    return plain;
  }
};
