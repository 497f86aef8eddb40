import type { Language } from "./parse.ts";
import type { OutcomeKind } from "./results.ts";

/** Everything the demo model can say, in both languages. */
export interface Words {
  readonly signature: string;
  readonly help: string;
  readonly notUnderstood: string;
  noTool(tool: string): string;
  searching(terms: string, glob: string | undefined): string;
  hits(term: string, count: number, glob: string | undefined): string;
  readonly noneOfThem: string;
  readonly listCut: string;
  reading(path: string): string;
  fileShown(path: string, first: number, last: number, total: number | null): string;
  toolSays(tool: string): string;
  asking(tool: string): string;
  listing(path: string): string;
  listed(path: string): string;
  summary(path: string, lines: number, filled: number): string;
  readonly headings: string;
  readonly names: string;
  readonly imports: string;
  readonly keys: string;
  readonly mechanical: string;
  partRead(lines: number): string;
  sameText: string;
  readonly emptyFind: string;
  readonly lookingForFile: string;
  whichFile(find: string): string;
  missing(find: string, path: string): string;
  readonly nowhere: string;
  readonly elsewhere: string;
  several(find: string, path: string, lines: string): string;
  proposing(path: string): string;
  title(find: string, replace: string, path: string): string;
  description(find: string, replace: string, path: string, line: number): string;
  outcome(kind: OutcomeKind, reason: string): string;
  readonly branch: string;
  readonly commit: string;
}

const EN: Words = {
  signature: "*Demo model, no AI: a fixed set of commands.*",
  help: [
    "I am a demo model, no AI. I understand a few commands, in English and German, and carry them out with the real tools:",
    "- find `text` [in `src/**`]",
    "- read `file` [lines 3-9]",
    "- list `folder`",
    "- explain `file`",
    "- replace `old` with `new` in `file` (a person has to approve it)",
    "- list tables, or query `select ...` over uploaded files",
  ].join("\n"),
  notUnderstood:
    "I did not understand that. I am a demo model, no AI, and know only a few commands. Try: find `text`, read `file`, list `folder`, explain `file`, replace `old` with `new` in `file`.",
  noTool: (tool) => `For that I would need the tool ${tool}, and it is not offered to me here.`,
  searching: (terms, glob) => `Searching for ${terms}${glob ? ` in ${glob}` : ""}.`,
  hits: (term, count, glob) =>
    `${count === 1 ? "1 line" : `${count} lines`} with ${term}${glob ? ` in ${glob}` : ""}${count === 0 ? "." : ":"}`,
  noneOfThem: "The search says:",
  listCut: "The list is longer than what is shown.",
  reading: (path) => `Reading ${path}.`,
  fileShown: (path, first, last, total) => `${path}, lines ${first} to ${last}${total === null ? "" : ` of ${total}`}:`,
  toolSays: (tool) => `The tool ${tool} answers:`,
  asking: (tool) => `Asking the tool ${tool}.`,
  listing: (path) => `Listing ${path}.`,
  listed: (path) => `Contents of ${path}:`,
  summary: (path, lines, filled) =>
    `${path} has ${lines} ${lines === 1 ? "line" : "lines"}, ${filled} of them not empty.`,
  headings: "Headings",
  names: "Declares",
  imports: "Imports",
  keys: "Keys",
  mechanical: "This is counted, not understood.",
  partRead: (lines) => `I read only its first ${lines} lines.`,
  sameText: "Old and new text are the same; there is nothing to change.",
  emptyFind: "Say which text is to be replaced.",
  lookingForFile: "No file was named, so I search for the text first.",
  whichFile: (find) => `${find} stands in several files. Say which one: replace … with … in \`file\`.`,
  missing: (find, path) => `${find} does not occur in ${path}, so I propose nothing.`,
  nowhere: "I found it nowhere else either.",
  elsewhere: "It occurs here:",
  several: (find, path, lines) =>
    `${find} occurs more than once in ${path} (lines ${lines}). Give me a longer piece of text that occurs only once.`,
  proposing: (path) => `The text occurs exactly once in ${path}. I propose the change; a person decides.`,
  title: (find, replace, path) => `Replace ${find} with ${replace} in ${path}`,
  description: (find, replace, path, line) =>
    `Replaces ${find} with ${replace} in ${path}, line ${line}. The text occurred exactly once in the file read.`,
  outcome: (kind, reason) => {
    const said = reason === "" ? "" : ` The answer was: ${reason}`;
    switch (kind) {
      case "executed":
        return "The change was approved and carried out.";
      case "submitted":
        return `The change was submitted and waits for a decision.${said}`;
      case "rejected":
        return `The change was rejected. Reason: ${reason} I do not try it again.`;
      case "expired":
        return "Nobody decided in time; the request has expired and nothing was changed.";
      case "cancelled":
        return `The request was cancelled; nothing was changed.${said}`;
      case "invalid":
        return `The request is no longer valid; nothing was changed.${said}`;
      case "denied":
        return `The change is not allowed here.${said}`;
      case "unknown":
        return `It is not known whether the change was carried out; a person has to look.${said}`;
      case "failed":
        return `The change did not work.${said}`;
    }
  },
  branch: "Branch",
  commit: "Commit",
};

const DE: Words = {
  signature: "*Demo-Modell, keine KI: eine feste Menge von Befehlen.*",
  help: [
    "Ich bin ein Demo-Modell, keine KI. Ich verstehe wenige Befehle, auf Deutsch und Englisch, und führe sie mit den echten Werkzeugen aus:",
    "- suche `Text` [in `src/**`]",
    "- lies `Datei` [Zeilen 3-9]",
    "- liste `Ordner`",
    "- erkläre `Datei`",
    "- ersetze `alt` durch `neu` in `Datei` (ein Mensch muss zustimmen)",
    "- liste Tabellen, oder frage `select ...` über hochgeladene Dateien",
  ].join("\n"),
  notUnderstood:
    "Das habe ich nicht verstanden. Ich bin ein Demo-Modell, keine KI, und kenne nur wenige Befehle. Zum Beispiel: suche `Text`, lies `Datei`, liste `Ordner`, erkläre `Datei`, ersetze `alt` durch `neu` in `Datei`.",
  noTool: (tool) => `Dafür bräuchte ich das Werkzeug ${tool}, und das wird mir hier nicht angeboten.`,
  searching: (terms, glob) => `Ich suche nach ${terms}${glob ? ` in ${glob}` : ""}.`,
  hits: (term, count, glob) =>
    `${count === 1 ? "1 Zeile" : `${count} Zeilen`} mit ${term}${glob ? ` in ${glob}` : ""}${count === 0 ? "." : ":"}`,
  noneOfThem: "Die Suche sagt:",
  listCut: "Die Liste ist länger als hier gezeigt.",
  reading: (path) => `Ich lese ${path}.`,
  fileShown: (path, first, last, total) =>
    `${path}, Zeilen ${first} bis ${last}${total === null ? "" : ` von ${total}`}:`,
  toolSays: (tool) => `Das Werkzeug ${tool} antwortet:`,
  asking: (tool) => `Ich frage das Werkzeug ${tool}.`,
  listing: (path) => `Ich liste ${path} auf.`,
  listed: (path) => `Inhalt von ${path}:`,
  summary: (path, lines, filled) =>
    `${path} hat ${lines} ${lines === 1 ? "Zeile" : "Zeilen"}, davon ${filled} nicht leer.`,
  headings: "Überschriften",
  names: "Deklariert",
  imports: "Importiert",
  keys: "Schlüssel",
  mechanical: "Das ist gezählt, nicht verstanden.",
  partRead: (lines) => `Gelesen habe ich nur die ersten ${lines} Zeilen.`,
  sameText: "Alter und neuer Text sind gleich; es gibt nichts zu ändern.",
  emptyFind: "Bitte sag, welcher Text ersetzt werden soll.",
  lookingForFile: "Es wurde keine Datei genannt, darum suche ich den Text zuerst.",
  whichFile: (find) => `${find} steht in mehreren Dateien. Bitte sag, in welcher: ersetze … durch … in \`Datei\`.`,
  missing: (find, path) => `${find} kommt in ${path} nicht vor, darum schlage ich nichts vor.`,
  nowhere: "Auch sonst habe ich es nirgends gefunden.",
  elsewhere: "Es kommt hier vor:",
  several: (find, path, lines) =>
    `${find} kommt in ${path} mehrmals vor (Zeilen ${lines}). Bitte gib mir ein längeres Textstück, das nur einmal vorkommt.`,
  proposing: (path) =>
    `Der Text kommt in ${path} genau einmal vor. Ich schlage die Änderung vor; ein Mensch entscheidet.`,
  title: (find, replace, path) => `Ersetze ${find} durch ${replace} in ${path}`,
  description: (find, replace, path, line) =>
    `Ersetzt ${find} durch ${replace} in ${path}, Zeile ${line}. Der Text kam in der gelesenen Datei genau einmal vor.`,
  outcome: (kind, reason) => {
    const said = reason === "" ? "" : ` Die Antwort war: ${reason}`;
    switch (kind) {
      case "executed":
        return "Die Änderung wurde freigegeben und ausgeführt.";
      case "submitted":
        return `Die Änderung ist eingereicht und wartet auf eine Entscheidung.${said}`;
      case "rejected":
        return `Die Änderung wurde abgelehnt. Grund: ${reason} Ich versuche es nicht noch einmal.`;
      case "expired":
        return "Niemand hat rechtzeitig entschieden; die Anfrage ist abgelaufen, nichts wurde geändert.";
      case "cancelled":
        return `Die Anfrage wurde abgebrochen; nichts wurde geändert.${said}`;
      case "invalid":
        return `Die Anfrage gilt nicht mehr; nichts wurde geändert.${said}`;
      case "denied":
        return `Die Änderung ist hier nicht erlaubt.${said}`;
      case "unknown":
        return `Es ist nicht bekannt, ob die Änderung ausgeführt wurde; ein Mensch muss nachsehen.${said}`;
      case "failed":
        return `Die Änderung hat nicht geklappt.${said}`;
    }
  },
  branch: "Branch",
  commit: "Commit",
};

export const wordsFor = (language: Language): Words => (language === "de" ? DE : EN);

/** A piece of text as inline code, also when it holds backticks or line ends. */
export function quote(text: string): string {
  const line = text.replace(/\s*\r?\n\s*/g, " ⏎ ");
  const short = line.length > 120 ? `${clip(line, 119)}…` : line;
  const ticks = "`".repeat(longestRun(short) + 1);
  const pad = short.startsWith("`") || short.endsWith("`") ? " " : "";
  return short === "" ? '""' : `${ticks}${pad}${short}${pad}${ticks}`;
}

/** The beginning of a text, never ending inside a surrogate pair. */
export const clip = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");

/** Lines as a code block that nothing in them can end. */
export function block(lines: readonly string[]): string {
  const text = lines.join("\n");
  const ticks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}\n${text}\n${ticks}`;
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
