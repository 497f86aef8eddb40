const MAX_LENGTH = 512;
const MAX_ALTERNATIVES = 64;

/**
 * Matcher for path globs: `*` and `?` within a name, `**` across directories, `[a-z]`, `{a,b}`. A pattern without "/"
 * is meant for the name in any directory. Needs time in proportion to pattern times path, whatever the pattern (N69).
 * @returns null with a sentence when the pattern is not valid.
 */
export const compileGlob = (
  pattern: string,
):
  | { readonly ok: true; readonly matches: (path: string) => boolean }
  | { readonly ok: false; readonly text: string } => {
  if (pattern.length > MAX_LENGTH) return { ok: false, text: `The glob is longer than ${MAX_LENGTH} characters.` };
  const alternatives = expandBraces(pattern.replace(/^\.?\//, ""));
  if (alternatives === null) {
    return { ok: false, text: `The glob has unbalanced braces or stands for more than ${MAX_ALTERNATIVES} patterns.` };
  }
  const compiled = alternatives.map((one) => compileSegments(one.includes("/") ? one : `**/${one}`));
  return { ok: true, matches: (path) => compiled.some((segments) => matchSegments(segments, path.split("/"))) };
};

/** Expands `{a,b}`, nested too; null when unbalanced or too many. */
const expandBraces = (pattern: string): string[] | null => {
  let open: string[] = [pattern];
  for (;;) {
    const next: string[] = [];
    let expanded = false;
    for (const one of open) {
      const group = innermost(one);
      if (group === null) return null;
      if (group === "none") next.push(one);
      else {
        expanded = true;
        next.push(...group);
      }
      if (next.length > MAX_ALTERNATIVES) return null;
    }
    if (!expanded) return [...new Set(next)];
    open = next;
  }
};

const innermost = (text: string): string[] | "none" | null => {
  const close = text.indexOf("}");
  const start = close < 0 ? text.indexOf("{") : text.lastIndexOf("{", close);
  if (close < 0) return start < 0 ? "none" : null;
  if (start < 0) return null;
  const head = text.slice(0, start);
  const tail = text.slice(close + 1);
  return text
    .slice(start + 1, close)
    .split(",")
    .map((choice) => head + choice + tail);
};

type Token = { readonly kind: "star" } | { readonly kind: "one"; readonly test: (char: string) => boolean };
type Segment = "**" | readonly Token[];

const compileSegments = (pattern: string): Segment[] => {
  const segments: Segment[] = [];
  for (const part of pattern.split("/")) {
    if (part !== "**") segments.push(tokens(part));
    else if (segments.at(-1) !== "**") segments.push("**");
  }
  // `dir/**` and `dir/` mean what is below it.
  if (pattern.endsWith("/")) segments.splice(-1, 1, "**");
  return segments;
};

const tokens = (part: string): Token[] => {
  const chars = Array.from(part);
  const out: Token[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at];
    if (char === "*") {
      if (out.at(-1)?.kind !== "star") out.push({ kind: "star" });
    } else if (char === "?") {
      out.push({ kind: "one", test: () => true });
    } else if (char === "[" && chars.indexOf("]", at + 2) > 0) {
      const end = chars.indexOf("]", at + 2);
      out.push({ kind: "one", test: charClass(chars.slice(at + 1, end)) });
      at = end;
    } else {
      out.push({ kind: "one", test: (other) => other === char });
    }
  }
  return out;
};

const charClass = (body: readonly string[]): ((char: string) => boolean) => {
  const negated = body[0] === "!" || body[0] === "^";
  const chars = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const from = chars[at] ?? "";
    const to = chars[at + 1] === "-" ? chars[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated;
};

/** Greedy with one point of return: the last star decides, so that time stays bounded by the product of the lengths. */
const matchSegments = (pattern: readonly Segment[], path: readonly string[]): boolean =>
  greedy(
    pattern,
    path,
    (segment) => segment === "**",
    (segment, name) => segment !== "**" && matchName(segment, name),
  );

const matchName = (pattern: readonly Token[], name: string): boolean =>
  greedy(
    pattern,
    Array.from(name),
    (token) => token.kind === "star",
    (token, char) => token.kind === "one" && token.test(char),
  );

const greedy = <P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isStar: (p: P) => boolean,
  fits: (p: P, t: T) => boolean,
): boolean => {
  let p = 0;
  let starAt = -1;
  let resume = 0;
  for (let t = 0; t < text.length;) {
    const want = pattern[p];
    const have = text[t];
    if (want !== undefined && isStar(want)) {
      starAt = p;
      resume = t;
      p += 1;
    } else if (want !== undefined && have !== undefined && fits(want, have)) {
      p += 1;
      t += 1;
    } else if (starAt >= 0) {
      resume += 1;
      t = resume;
      p = starAt + 1;
    } else return false;
  }
  return pattern.slice(p).every(isStar);
};
