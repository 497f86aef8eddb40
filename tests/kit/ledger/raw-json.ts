/** The text of one member of a JSON object exactly as it was received, by the path of keys that leads to it. */
export const rawMember = (text: string, path: readonly string[]): string | undefined => {
  let range: readonly [number, number] | undefined = [0, text.length];
  for (const key of path) {
    range = range === undefined ? undefined : memberRange(text, range[0], key);
  }
  return range === undefined ? undefined : text.slice(range[0], range[1]);
};

const memberRange = (text: string, start: number, wanted: string): readonly [number, number] | undefined => {
  let at = blank(text, start);
  if (text[at] !== "{") return undefined;
  at = blank(text, at + 1);
  while (at < text.length && text[at] !== "}") {
    const keyEnd = valueEnd(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const valueStart = blank(text, blank(text, keyEnd) + 1);
    const end = valueEnd(text, valueStart);
    if (key === wanted) return [valueStart, end];
    at = blank(text, end);
    if (text[at] === ",") at = blank(text, at + 1);
  }
  return undefined;
};

const blank = (text: string, at: number): number => {
  let next = at;
  while (/\s/.test(text[next] ?? "x")) next += 1;
  return next;
};

/** One past the end of the value that starts here; the text is known to be JSON. */
const valueEnd = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === '"') {
      at = stringEnd(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (char === "," || /\s/.test(char))) return at;
  }
  return text.length;
};

const stringEnd = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
};
