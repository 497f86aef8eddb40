import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { languageOf, parse } from "./parse.ts";

const one = (message: string) => {
  const commands = parse(message);
  expect(commands.length).toBe(1);
  return commands[0];
};

describe("GW-5 the demo grammar", () => {
  test.each([
    ["find `total`", ["total"], undefined],
    ["Search for discount in src", ["discount"], "src/**"],
    ["Please find all occurrences of TODO in the repository.", ["TODO"], undefined],
    ["Suche nach „Größe“ in `src/**/*.ts`", ["Größe"], "src/**/*.ts"],
    ["suche Rabatt", ["Rabatt"], undefined],
    ["Wo wird applyDiscount verwendet?", ["applyDiscount"], undefined],
    ["where is applyDiscount defined?", ["applyDiscount"], undefined],
    ["Kannst du bitte nach `x y` suchen?", ["x y"], undefined],
    ["find `a`, `b` and `c`", ["a", "b", "c"], undefined],
    ["suche Müller und Maier in docs/", ["Müller", "Maier"], "docs/**"],
    ["find show", ["show"], undefined],
    ["grep 'don't' in README.md", ["don't"], "README.md"],
  ])("GW-5 %s is a search", (message, terms, glob) => {
    expect(one(message)).toEqual({ kind: "find", terms, ...(glob ? { glob } : {}) });
  });

  test.each([
    ["read src/order.ts", ["src/order.ts"], undefined, undefined],
    ["Show me the file `my file.txt` lines 3-9", ["my file.txt"], 3, 9],
    ["lies die Datei docs/Preisübersicht.md, Zeilen 10 bis 20", ["docs/Preisübersicht.md"], 10, 20],
    ["zeige mir Zeilen 5-6 von src/a.ts", ["src/a.ts"], 5, 6],
    ["show line 7 of src/a.ts", ["src/a.ts"], 7, 7],
    ["open src/a.ts:10-12", ["src/a.ts"], 10, 12],
    ["read a/b.ts and c/d.ts", ["a/b.ts", "c/d.ts"], undefined, undefined],
    ["Zeig mir README.md an.", ["README.md"], undefined, undefined],
    ["Kannst du src/a.ts anzeigen?", ["src/a.ts"], undefined, undefined],
    ["read list.ts", ["list.ts"], undefined, undefined],
  ])("GW-5 %s is a reading", (message, paths, from, to) => {
    expect(one(message)).toEqual({ kind: "read", paths, ...(from ? { from } : {}), ...(to ? { to } : {}) });
  });

  test.each([
    ["explain src/a.ts", "src/a.ts"],
    ["Erkläre mir die Datei `Ü ber.md`", "Ü ber.md"],
    ["What does src/a.ts do?", "src/a.ts"],
    ["Was macht src/a.ts?", "src/a.ts"],
    ["fasse README.md zusammen", "README.md"],
  ])("GW-5 %s is an explanation", (message, path) => {
    expect(one(message)).toEqual({ kind: "explain", path });
  });

  test.each([
    ["list", ""],
    ["list src/", "src"],
    ["Liste alle Dateien im Ordner `src` auf", "src"],
    ["zeige den Inhalt von docs", "docs"],
    ["list files", ""],
    ["show .", ""],
  ])("GW-5 %s is a listing", (message, path) => {
    expect(one(message)).toEqual({ kind: "list", path });
  });

  test.each([
    ["replace `a` with `b` in src/x.ts", "a", "b", "src/x.ts"],
    ["Ersetze „alt“ durch „neu“ in der Datei src/x.ts.", "alt", "neu", "src/x.ts"],
    ["Fix the sum: replace `>` with `>=` in `src/my file.ts`", ">", ">=", "src/my file.ts"],
    ["replace 12 by 13 in conf.yaml", "12", "13", "conf.yaml"],
    ["In src/x.ts, please replace a b with c d", "a b", "c d", "src/x.ts"],
    ["ersetze in src/x.ts `durch` durch `mit`", "durch", "mit", "src/x.ts"],
    ["ersetze foo in src/x.ts durch bar", "foo", "bar", "src/x.ts"],
    ["Kannst du in src/x.ts `a` durch `b` ersetzen?", "a", "b", "src/x.ts"],
    ["Kannst du bitte `a` durch `b` in src/x.ts ersetzen?", "a", "b", "src/x.ts"],
    ["replace the text 'it's' with \"it is\" in a.md", "it's", "it is", "a.md"],
    ["replace `x` with `` in a.md".replace("``", '""'), "x", "", "a.md"],
    ["change `in b.ts with c` to `find it` in a.ts", "in b.ts with c", "find it", "a.ts"],
    ["ändere »3« zu »4« in a.ts", "3", "4", "a.ts"],
    ["I would like you to replace `a` with `b` in c.ts", "a", "b", "c.ts"],
    ["replace `a` with `b`", "a", "b", undefined],
    ["replace show with hide in a.ts", "show", "hide", "a.ts"],
  ])("GW-5 %s is a replacement", (message, find, replace, path) => {
    expect(one(message)).toEqual({ kind: "replace", find, replace, ...(path ? { path } : {}) });
  });

  test("GW-5 code blocks are taken literally, line by line", () => {
    expect(one("replace ```ts\nif (a) {\n  b();\n}\n``` with ```\nb();\n``` in src/x.ts")).toEqual({
      kind: "replace",
      find: "if (a) {\n  b();\n}",
      replace: "b();",
      path: "src/x.ts",
    });
  });

  test("GW-5 several commands of one message are read in order", () => {
    expect(
      parse("Find `a` in src and then read src/x.ts; erkläre README.md\nreplace `p` with `q` in z.md").map(
        (each) => each.kind,
      ),
    ).toEqual(["find", "read", "explain", "replace"]);
    expect(parse("Hi there. Please list src. Then find `x`.").map((each) => each.kind)).toEqual(["list", "find"]);
  });

  test("GW-5 a source can be named", () => {
    expect(one("read a.ts from source `orders`")).toEqual({ kind: "read", paths: ["a.ts"], source: "orders" });
    expect(one("suche x in der Quelle Lager")).toEqual({ kind: "find", terms: ["x"], source: "Lager" });
  });

  test("GW-5 what is no command is not guessed at", () => {
    expect(one("The weather is nice")).toEqual({ kind: "unknown" });
    expect(one("show me how this works")).toEqual({ kind: "unknown" });
    expect(one("")).toEqual({ kind: "help" });
    expect(one("Hilfe!")).toEqual({ kind: "help" });
    expect(one("What can you do?")).toEqual({ kind: "help" });
  });

  test("GW-5 the language follows the message, not what is quoted in it", () => {
    expect(languageOf("suche `the file with the price`")).toBe("de");
    expect(languageOf("find „Größe der Datei“")).toBe("en");
    expect(languageOf("ersetze a durch b in c.ts")).toBe("de");
    expect(languageOf("")).toBe("en");
  });
});

const word = fc.stringMatching(/^[a-zäöüßA-ZÄÖÜ_][\wäöüß]{2,12}$/);
const path = fc
  .tuple(fc.array(word, { maxLength: 3 }), word, fc.constantFrom("ts", "md", "py", "yaml"))
  .map(([folders, name, ext]) => `${[...folders, name].join("/")}.${ext}`);
/** Anything a person could put between backticks. */
const snippet = fc
  .string({ unit: "binary", minLength: 1, maxLength: 60 })
  .filter((text) => !/[`\uE000\uE001]/.test(text) && text.isWellFormed());

test("GW-5 whatever stands between backticks arrives unchanged, whatever the file is called", () => {
  fc.assert(
    fc.property(snippet, snippet, path, (find, replace, file) => {
      expect(parse(`replace \`${find}\` with \`${replace}\` in ${file}`)).toEqual([
        { kind: "replace", find, replace, path: file },
      ]);
      expect(parse(`Ersetze \`${find}\` durch \`${replace}\` in \`${file}\``)).toEqual([
        { kind: "replace", find, replace, path: file },
      ]);
      expect(parse(`find \`${find}\` in ${file}`)).toEqual([{ kind: "find", terms: [find], glob: file }]);
      expect(parse(`lies \`${file}\``)).toEqual([{ kind: "read", paths: [file] }]);
    }),
  );
});

test("GW-5 no message makes the parser fail or hang", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (message) => void parse(message)));
  for (const piece of ["„", "` ", "' ", "replace a ", "in x by ", "find and ", "with in by "]) {
    const started = performance.now();
    parse(piece.repeat(5_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  }
});

test("UPL-2 a query is one command by itself, whatever words and quotes stand in it", () => {
  const sql = "select region, sum(amount) from orders where note = 'a and b; find c' group by region";
  for (const text of [
    `query ${sql}`,
    `Query: \`${sql}\``,
    `frage \`${sql}\``,
    `Bitte frage ab: ${sql}`,
    `\`\`\`sql\n${sql}\n\`\`\``.replace(/^/, "sql "),
    sql,
  ])
    expect(parse(text)).toEqual([{ kind: "query", sql }]);
  for (const text of ["list tables", "Zeige die Tabellen", "liste alle Tabellen auf."])
    expect(parse(text)).toEqual([{ kind: "tables" }]);
  expect(parse("from `src/a.ts` read lines 1-2")).not.toContainEqual(expect.objectContaining({ kind: "query" }));
  expect(parse("Find select in `src/**`")).toEqual([{ kind: "find", terms: ["select"], glob: "src/**" }]);
});
