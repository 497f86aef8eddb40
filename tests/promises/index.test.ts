import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROMISES } from "./index.ts";

const ROOT = join(import.meta.dirname, "../..");
const ids = (letter: string, last: number): string[] => Array.from({ length: last }, (_, n) => `${letter}${n + 1}`);
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const TESTS = ["packages", "functions", "infra", "tests", "web/src"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter(
    (name) => name.endsWith(".test.ts") && !name.includes("node_modules") && name !== "tests/promises/index.test.ts",
  );

/** Titles of tests and groups: the text right behind the opening bracket, or behind the table of an `each` or `for`. */
const titlesIn = (source: string): string[] =>
  [
    ...source.matchAll(
      /\b(?:test|it|describe)(?:\.(?:each|for))?(?:<[^\n]*>)?\([\s\S]{0,4000}?(["`])((?:(?!\1)[^\\\n]|\\.){8,})\1\s*,\s*(?:\{|async|\()/g,
    ),
  ].map(([, , title = ""]) => title);

test("every F, N, G and I id is in the index, once, in order", () => {
  expect(PROMISES.map(({ id }) => id)).toEqual([...ids("F", 97), ...ids("N", 87), ...ids("G", 20), ...ids("I", 10)]);
});

test("every id has a test or waits for its area of work, and no test is named twice for it", () => {
  for (const { id, by, waits } of PROMISES) {
    expect(by.length > 0 || waits !== undefined, id).toBe(true);
    expect(new Set(by.map((proof) => proof.join(" "))).size, id).toBe(by.length);
  }
});

/** Whether a title (or a row of the table behind it) has this part: a text on one line, in quotes. */
const hasTitle = (source: string, part: string): boolean =>
  source.split("\n").some((line) => {
    const at = line.indexOf(part);
    return at > 0 && /["`]/.test(line.slice(0, at)) && !/^\s*(?:\/\/|\*)/.test(line);
  });

test("every test that is named exists, by its file and its title", () => {
  const missing: string[] = [];
  for (const { id, by } of PROMISES)
    for (const [file, title] of by)
      if (!TESTS.includes(file) || !hasTitle(read(file), title)) missing.push(`${id}: ${file}: ${title}`);
  expect(missing).toEqual([]);
});

test("what a test claims by its title is in the index: no id waits that a test is named after", () => {
  const waiting = new Set(PROMISES.filter(({ by }) => by.length === 0).map(({ id }) => id));
  const claimed = TESTS.flatMap((file) =>
    titlesIn(read(file)).flatMap((title) => [...title.matchAll(/\b[FNG]\d{1,2}\b/g)].map(([id]) => ({ id, file }))),
  );
  expect(claimed.length).toBeGreaterThan(200);
  const known = new Set(PROMISES.map(({ id }) => id));
  expect(claimed.filter(({ id }) => waiting.has(id) || !known.has(id))).toEqual([]);
});
