/** What can be said about a text without understanding it. */
export interface Summary {
  readonly lines: number;
  readonly filled: number;
  readonly headings: readonly string[];
  readonly names: readonly string[];
  readonly imports: readonly string[];
  readonly keys: readonly string[];
}

const MAX_NAMES = 20;

const NAMES: readonly RegExp[] = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\p{L}\p{N}_$]+)/u,
  /^\s*(?:export\s+)?(?:abstract\s+)?(?:class|interface|type|enum)\s+([\p{L}\p{N}_$]+)/u,
  /^(?:export\s+)?(?:const|let|var)\s+([\p{L}\p{N}_$]+)/u,
  /^\s*(?:async\s+)?def\s+([\p{L}\p{N}_]+)/u,
  /^func\s+(?:\([^)]*\)\s*)?([\p{L}\p{N}_]+)/u,
  /^\s*(?:pub\s+)?fn\s+([\p{L}\p{N}_]+)/u,
  /^\s*create\s+(?:or\s+replace\s+)?(?:table|view|function)\s+(?:if\s+not\s+exists\s+)?([\p{L}\p{N}_."]+)/iu,
];
const IMPORTS: readonly RegExp[] = [
  /\bfrom\s+["']([^"']+)["']/,
  /^\s*import\s+["']([^"']+)["']/,
  /\brequire\(["']([^"']+)["']\)/,
  /^\s*(?:from|import)\s+([\w.]+)/,
];

/** Counts lines and collects headings, names, imports and keys, in the order of the file and each once. */
export function summarise(path: string, lines: readonly string[]): Summary {
  const markdown = /\.(?:md|markdown|rst|txt|adoc)$/i.test(path);
  const keyed = /\.(?:ya?ml|json|toml|ini)$/i.test(path);
  const code = !markdown && !keyed;
  return {
    lines: lines.length,
    filled: lines.filter((line) => line.trim() !== "").length,
    headings: markdown ? collect(lines, [/^#{1,6}\s+(.+?)\s*#*$/]) : [],
    names: code ? collect(lines, NAMES) : [],
    imports: code ? collect(lines, IMPORTS) : [],
    keys: keyed ? collect(lines, [/^ {0,2}"([^"]+)"\s*:/, /^([\w.-]+)\s*[:=]/, /^\[+([^\]]+)\]+/]) : [],
  };
}

function collect(lines: readonly string[], patterns: readonly RegExp[]): string[] {
  const found = new Set<string>();
  for (const line of lines) {
    for (const pattern of patterns) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined) {
        found.add(name);
        break;
      }
    }
    if (found.size >= MAX_NAMES) break;
  }
  return [...found];
}
