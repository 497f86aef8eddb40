import { isQuoted, mask, PATH_TOKEN, QUOTED, TOKEN, unmask } from "./mask.ts";

export type Language = "de" | "en";

export type Command = { readonly source?: string } & (
  | { readonly kind: "find"; readonly terms: readonly string[]; readonly glob?: string }
  | { readonly kind: "read"; readonly paths: readonly string[]; readonly from?: number; readonly to?: number }
  | { readonly kind: "explain"; readonly path: string }
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "replace"; readonly find: string; readonly replace: string; readonly path?: string }
  | { readonly kind: "query"; readonly sql: string }
  | { readonly kind: "tables" }
  | { readonly kind: "help" }
  | { readonly kind: "unknown" }
);

const MAX_COMMANDS = 5;
const MAX_CLAUSES = 40;
/** Characters; longer ones are no command, and the patterns below are not made for them. */
const MAX_CLAUSE = 1_000;
const MAX_MESSAGE = 20_000;

const FIND =
  "find|search|grep|look\\s+for|where\\s+(?:is|are)|suche|such|finde|wo\\s+(?:ist|sind|steht|stehen|wird|kommt)";
const READ = "read|show|open|display|cat|print|lies|lese|zeige|zeig|öffne";
const EXPLAIN = "explain|describe|summari[sz]e|erkläre|erklär|beschreibe";
const ASK = "what\\s+(?:does|is)|was\\s+(?:macht|tut|ist)";
const LIST = "list|ls|liste";
const REPLACE = "replace|change|substitute|ersetze|ersetz|ändere|tausche";
const HELP = "help|hilfe|what\\s+can\\s+you\\s+do|was\\s+kannst\\s+du";
const VERBS = `(?:${[FIND, READ, EXPLAIN, ASK, LIST, REPLACE, HELP].join("|")})`;
const POLITE =
  /^(?:hi|hello|hallo|hey|please|bitte|now|also|nun|dann|then|mal|can\s+you|could\s+you|would\s+you|kannst\s+du|könntest\s+du|würdest\s+du)(?=[\s,!])[\s,!]*/i;

const re = (source: string): RegExp => new RegExp(source, "iu");
/** `\b` knows no umlauts. */
const END = "(?![\\p{L}\\p{N}_])";

/** Between two commands: a line end, a semicolon, or the end of a sentence or an "and" with a verb behind it. */
const JOINT = new RegExp(
  `\\s*(?:\\r?\\n|;)\\s*|(?:[.!?]\\s+|,?\\s+(?:and|und|then|dann|danach)\\s+(?:(?:then|dann|danach|also|auch)\\s+)?)(?:(?:please|bitte)\\s+)?(?=${VERBS}(?:\\s|[,:?]?$))`,
  "giu",
);

/** German if the words are German; a command's verb decides, then the small words. */
export function languageOf(message: string): Language {
  const { text } = mask(message);
  const german =
    /(?<![\p{L}])(?:suche?|finde|lies|lese|zeige?|erkläre?|liste|ersetze?|ändere|tausche|öffne|beschreibe|hilfe|was|wo|bitte|und|durch|der|die|das|ist|nicht|ich|kannst|könntest|suchen|ersetzen|lesen|erklären|anzeigen|zeilen?|datei|frage|abfrage|tabellen)(?![\p{L}])|[äöüß]/giu;
  const english =
    /(?<![\p{L}])(?:find|search|read|show|explain|list|replace|change|open|help|what|where|please|and|with|by|the|is|not|can|could|you|lines?|file|for|of|query|tables)(?![\p{L}])/giu;
  return (text.match(german)?.length ?? 0) > (text.match(english)?.length ?? 0) ? "de" : "en";
}

/** Reads the commands out of a message, in order, at most five. Pure; never throws; what is not understood is `unknown`. */
export function parse(message: string): Command[] {
  const query = queryOf(message.slice(0, MAX_MESSAGE));
  if (query !== null) return [query];
  const { text, pieces } = mask(message.slice(0, MAX_MESSAGE));
  const commands = text
    .split(JOINT)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "" && clause.length <= MAX_CLAUSE)
    .slice(0, MAX_CLAUSES)
    .map((clause) => clauseCommand(clause, pieces));
  const known = commands.filter((command) => command.kind !== "unknown");
  if (known.length > 0) return known.slice(0, MAX_COMMANDS);
  return [message.trim() === "" ? { kind: "help" } : { kind: "unknown" }];
}

const TABLES =
  /^\s*(?:list|show|liste|zeige?)\s+(?:me\s+|mir\s+)?(?:the\s+|all\s+|die\s+|alle\s+)?(?:tables|tabellen)(?:\s+auf)?\s*[.?!]*\s*$/i;
const QUERY =
  /^\s*(?:(?:please|bitte)[\s,]+)?(?:(?:query|sql|abfrage|frage(?:\s+ab)?)\s*:?\s+(?:`{1,3}(?:sql)?\s*)?(?=(?:select|with|from|values)\b)|(?=select\b))([^]+)$/i;

/** A query is one command by itself: its words, quotes and line ends are SQL. */
function queryOf(message: string): Command | null {
  if (TABLES.test(message)) return { kind: "tables" };
  const sql = QUERY.exec(message)?.[1]
    ?.trimEnd()
    .replace(/`{1,3}$/, "")
    .trimEnd();
  return sql === undefined ? null : { kind: "query", sql };
}

function clauseCommand(clause: string, pieces: readonly string[]): Command {
  const sourced = re(
    `\\s+(?:in|from|of|aus|von)\\s+(?:the\\s+|der\\s+)?(?:source|quelle)\\s+(${TOKEN})\\s*[.?!]*$`,
  ).exec(clause);
  const body = polite(sourced ? clause.slice(0, sourced.index) : clause);
  const command = read(body, pieces) ?? later(body, pieces) ?? { kind: "unknown" as const };
  const name = sourced?.[1];
  return name === undefined ? command : { ...command, source: bare(name, pieces) };
}

function polite(clause: string): string {
  let rest = clause.trim();
  for (;;) {
    const next = rest.replace(POLITE, "");
    if (next === rest) return rest;
    rest = next;
  }
}

/** "Fix the sum: replace a with b in c", "I would like you to read x": the command starts at its verb. */
function later(clause: string, pieces: readonly string[]): Command | null {
  const verb = new RegExp(`(?<=[\\s:,])(?:${VERBS})${END}`, "giu");
  for (const found of clause.matchAll(verb)) {
    const command = read(clause.slice(found.index), pieces);
    if (command) return command;
  }
  return null;
}

function read(clause: string, pieces: readonly string[]): Command | null {
  const text = clause.trim().replace(/(?<=\S)[.!?]+$/u, "");
  return (
    help(text) ??
    replacement(text, pieces) ??
    listing(text, pieces) ??
    reading(text, pieces) ??
    explaining(text, pieces) ??
    finding(text, pieces)
  );
}

const help = (text: string): Command | null =>
  text === "" || re(`^(?:${HELP})${END}`).test(text) ? { kind: "help" } : null;

const FILE_WORDS = "(?:the\\s+|der\\s+|die\\s+|dem\\s+)?(?:file\\s+|datei\\s+)?";

function replacement(text: string, pieces: readonly string[]): Command | null {
  const by = "(?:with|by|to|into|durch|mit|gegen|zu)";
  const verb = `(?:${REPLACE})`;
  const forms: readonly (readonly [string, number, number, number])[] = [
    // pattern, group of what is found, of what replaces it, of the file
    [`^${verb}\\s+in\\s+${FILE_WORDS}(${TOKEN})[,:]?\\s+(.+?)\\s+${by}\\s+(.+)$`, 2, 3, 1],
    [`^in\\s+${FILE_WORDS}(${TOKEN})[,:]?\\s+(?:bitte\\s+|please\\s+)?${verb}\\s+(.+?)\\s+${by}\\s+(.+)$`, 2, 3, 1],
    [`^${verb}\\s+(.+?)\\s+in\\s+${FILE_WORDS}(${PATH_TOKEN})\\s+${by}\\s+(.+)$`, 1, 3, 2],
    [`^${verb}\\s+(.+?)\\s+${by}\\s+(.+?)\\s+in\\s+${FILE_WORDS}(${TOKEN})(?:\\s+(?:aus|um))?$`, 1, 2, 3],
    [`^in\\s+${FILE_WORDS}(${TOKEN})\\s+(.+?)\\s+durch\\s+(.+?)\\s+ersetzen$`, 2, 3, 1],
    [`^(.+?)\\s+in\\s+${FILE_WORDS}(${PATH_TOKEN})\\s+durch\\s+(.+?)\\s+ersetzen$`, 1, 3, 2],
    [`^(.+?)\\s+durch\\s+(.+?)\\s+in\\s+${FILE_WORDS}(${TOKEN})\\s+ersetzen$`, 1, 2, 3],
    [`^${verb}\\s+(.+?)\\s+${by}\\s+(.+)$`, 1, 2, 0],
  ];
  for (const [pattern, find, replace, file] of forms) {
    const match = re(pattern).exec(text);
    if (!match) continue;
    const path = file === 0 ? undefined : match[file];
    return {
      kind: "replace",
      find: value(match[find] ?? "", pieces),
      replace: value(match[replace] ?? "", pieces),
      ...(path === undefined ? {} : { path: bare(path, pieces) }),
    };
  }
  return null;
}

function listing(text: string, pieces: readonly string[]): Command | null {
  const fill =
    "(?:(?:all|alle|the|die|den|das|files|dateien|folder|directory|ordner|verzeichnis|in|im|of|von|unter|under|auf)\\s+)*";
  const match = re(`^(?:${LIST})(?:\\s+${fill}(${TOKEN})(?:\\s+auf)?)?$`).exec(text);
  if (match) {
    const path = match[1] ?? "";
    return {
      kind: "list",
      path: re("^(?:files|dateien|all|alle|everything|alles|auf|repository)$").test(path)
        ? ""
        : folder(bare(path, pieces)),
    };
  }
  const shown = re(
    `^(?:${READ})\\s+(?:me\\s+|mir\\s+)?(?:the\\s+|den\\s+)?(?:contents?|inhalt|files|dateien)(?:\\s+(?:of|von|in|im)\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+|ordner\\s+|verzeichnis\\s+)?(${TOKEN}))?$`,
  ).exec(text);
  return shown ? { kind: "list", path: folder(bare(shown[1] ?? "", pieces)) } : null;
}

function reading(text: string, pieces: readonly string[]): Command | null {
  const lines = "(?:lines?|zeilen?)\\s+(\\d+)(?:\\s*(?:-|–|to|bis|until)\\s*(\\d+))?";
  const ahead = re(
    `^(?:${READ})\\s+(?:me\\s+|mir\\s+)?(?:the\\s+|die\\s+)?${lines}\\s+(?:of|from|in|von|aus|der)\\s+${FILE_WORDS}(.+)$`,
  ).exec(text);
  if (ahead) return readCommand(ahead[3] ?? "", ahead[1], ahead[2], pieces);
  const end = re(
    `^(?:${READ})\\s+(?:me\\s+|mir\\s+)?${FILE_WORDS}(.+?)(?:,?\\s+(?:from\\s+|ab\\s+)?${lines})?(?:\\s+(?:an|vor))?$`,
  ).exec(text);
  if (end) return readCommand(end[1] ?? "", end[2], end[3], pieces);
  const infinitive = re(`^${FILE_WORDS}(${PATH_TOKEN})\\s+(?:lesen|anzeigen|zeigen|öffnen)$`).exec(text);
  return infinitive ? readCommand(infinitive[1] ?? "", undefined, undefined, pieces) : null;
}

function readCommand(
  target: string,
  from: string | undefined,
  to: string | undefined,
  pieces: readonly string[],
): Command | null {
  const suffix = /^(.*\.\w+):(\d+)(?:-(\d+))?$/.exec(target);
  // Several plain words are a sentence, not the name of a file.
  if (/\s/.test(target) && !/[/.]/.test(target) && !QUOTED.test(target)) return null;
  const names = terms(suffix?.[1] ?? target, pieces, true);
  const [only] = names;
  if (only === undefined) return null;
  if (names.length === 1 && (only === "." || only.endsWith("/"))) return { kind: "list", path: folder(only) };
  const first = from ?? suffix?.[2];
  const last = to ?? suffix?.[3] ?? (from === undefined || to !== undefined ? undefined : from);
  return {
    kind: "read",
    paths: names,
    ...(first === undefined ? {} : { from: Number(first) }),
    ...(last === undefined ? {} : { to: Number(last) }),
  };
}

function explaining(text: string, pieces: readonly string[]): Command | null {
  const match =
    re(`^(?:${EXPLAIN})\\s+(?:me\\s+|mir\\s+|in\\s+)?${FILE_WORDS}(${TOKEN})(?:\\s+(?:do|does|about|zusammen))?$`).exec(
      text,
    ) ??
    re(`^(?:${ASK})\\s+(?:in\\s+)?${FILE_WORDS}(${PATH_TOKEN})(?:\\s+(?:do|about|for|eigentlich))?$`).exec(text) ??
    re(`^(?:fasse?)\\s+${FILE_WORDS}(${TOKEN})\\s+zusammen$`).exec(text) ??
    re(`^(?:mir\\s+)?${FILE_WORDS}(${PATH_TOKEN})\\s+(?:erklären|beschreiben|zusammenfassen)$`).exec(text);
  return match ? { kind: "explain", path: bare(match[1] ?? "", pieces) } : null;
}

function finding(text: string, pieces: readonly string[]): Command | null {
  const match =
    re(`^(?:${FIND})\\s+(?:for\\s+|nach\\s+|out\\s+)?(.+)$`).exec(text) ??
    re("^(?:nach\\s+)?(.+?)\\s+(?:suchen|finden)$").exec(text);
  if (!match) return null;
  const fillers =
    "(?:all\\s+|alle\\s+|the\\s+|das\\s+|die\\s+|den\\s+)?(?:(?:uses?|occurrences?|mentions?)\\s+of\\s+|(?:vorkommen|stellen)\\s+(?:von|mit)\\s+|(?:word|text|string|wort|begriff)\\s+)?";
  const wanted = (match[1] ?? "")
    .replace(re(`^${fillers}`), "")
    .replace(re("\\s+(?:defined|used|definiert|verwendet|benutzt|vor)$"), "")
    .replace(re("\\s+(?:in|im)\\s+(?:the\\s+|der\\s+|dem\\s+)?(?:repository|repo|code|project|projekt)$"), "");
  const placed = re(
    `^(.+)\\s+(?:in|im|within|under|unter)\\s+(?:the\\s+|dem\\s+)?(?:files?\\s+|dateien\\s+|datei\\s+|folder\\s+|ordner\\s+)?(${TOKEN})$`,
  ).exec(wanted);
  const found = terms(placed?.[1] ?? wanted, pieces, false);
  if (found.length === 0) return null;
  const place = placed?.[2];
  return { kind: "find", terms: found, ...(place === undefined ? {} : { glob: globOf(bare(place, pieces)) }) };
}

/** "a, b and c" as a list. Unquoted paths with blanks and single phrases stay whole. */
function terms(masked: string, pieces: readonly string[], paths: boolean): string[] {
  const parts = masked.split(/\s*,\s*(?:and\s+|und\s+)?|\s+(?:and|und|or|oder)\s+/iu).filter(Boolean);
  const split = !paths || parts.every((part) => isQuoted(part) || re(`^${PATH_TOKEN}$`).test(part));
  return (split ? parts : [masked])
    .map((part) => bare(part, pieces))
    .filter((part) => part !== "")
    .slice(0, 5);
}

/** What is meant by some words: the one quoted piece among them ("the text `x`"), otherwise the words themselves. */
function value(masked: string, pieces: readonly string[]): string {
  const quoted = masked.match(new RegExp(QUOTED, "gu")) ?? [];
  return unmask(quoted.length === 1 ? (quoted[0] ?? "") : masked.trim(), pieces);
}

/** The same for names, where the punctuation of the sentence does not belong to an unquoted word. */
const bare = (masked: string, pieces: readonly string[]): string =>
  value(masked.trim().replace(/[,;:!?]+$/u, ""), pieces);

const folder = (path: string): string => path.replace(/^\.\/?$/, "").replace(/\/+$/, "");

/** A folder stands for everything in it. */
function globOf(place: string): string {
  if (/[*?[{]/.test(place) || /\.\w+$/.test(place)) return place;
  return `${place.replace(/\/+$/, "")}/**`;
}
