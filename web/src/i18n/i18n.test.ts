import { PROBLEMS } from "@aiw/contract/problem";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const dir = new URL("./", import.meta.url);
const names = (locale: string): string[] => readdirSync(new URL(`${locale}/`, dir)).sort();

const leaves = (value: unknown, path: string): [string, unknown][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([k, v]) => leaves(v, path === "" ? k : `${path}.${k}`))
    : [[path, value]];

const holes = (text: string): string[] => [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((m) => m[1] ?? "").sort();

test("OPS-9: German and English hold the same areas, keys and placeholders, and no text is empty", async () => {
  expect(names("en")).toEqual(names("de"));
  expect(names("de").length).toBeGreaterThan(0);
  for (const file of names("de")) {
    const de = leaves(((await import(new URL(`./de/${file}`, dir).href)) as { de: unknown }).de, "");
    const en = new Map(leaves(((await import(new URL(`./en/${file}`, dir).href)) as { en: unknown }).en, ""));
    expect([...en.keys()].sort(), file).toEqual(de.map(([k]) => k).sort());
    for (const [key, value] of de) {
      const other = en.get(key);
      expect(typeof other, `${file} ${key}`).toBe(typeof value);
      if (typeof value !== "string" || typeof other !== "string") continue;
      expect(value.trim(), `${file} ${key}`).not.toBe("");
      expect(other.trim(), `${file} ${key}`).not.toBe("");
      expect(holes(other), `${file} ${key}`).toEqual(holes(value));
    }
  }
});

test("SEC-5: every problem code is worded", async () => {
  const { de } = await import("./de/problems.ts");
  expect(Object.keys(de)).toEqual(expect.arrayContaining(Object.keys(PROBLEMS)));
});
