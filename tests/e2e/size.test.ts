import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ROOT } from "../kit/stack.ts";

const DIST = join(ROOT, "web", "dist");
const textOf = (file: string): string => readFileSync(join(DIST, file), "utf8");
const sizeOf = (file: string): number => gzipSync(textOf(file), { level: 9 }).byteLength;
const sum = (files: readonly string[]): number => files.reduce((total, file) => total + sizeOf(file), 0);
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name ?? "");

/** Scripts with all that they load before they run. */
const withImports = (scripts: readonly string[]): readonly string[] => {
  const found = new Set(scripts);
  for (const script of found)
    for (const name of matches(textOf(script), /(?:from|import)\s*["'`]\.\/([\w-]+\.js)["'`]/g))
      found.add(`assets/${name}`);
  return [...found];
};

test("OPS-10 the web app stays small: 90 kB of script at first, 40 kB for the script of a page, 12 kB of styles, as gzip", () => {
  const index = textOf("index.html");
  const first = withImports(matches(index, /(?:src|href)="\/(assets\/[^"]+\.js)"/g));
  const styles = matches(index, /href="\/(assets\/[^"]+\.css)"/g);
  expect(first.length).toBeGreaterThan(2);
  expect(sum(first)).toBeLessThanOrEqual(90_000);
  expect(styles).toHaveLength(1);
  expect(sum(styles)).toBeLessThanOrEqual(12_000);

  const pages = first.flatMap((script) =>
    matches(textOf(script), /import\(\s*["'`]\.\/([\w-]+\.js)["'`]\s*\)/g).map((name) => `assets/${name}`),
  );
  expect(pages.length).toBeGreaterThan(8);
  for (const page of pages) expect(sizeOf(page), page).toBeLessThanOrEqual(40_000);

  // What is measured is all there is.
  const known = [...first, ...withImports(pages)];
  const all = readdirSync(join(DIST, "assets")).filter((name) => name.endsWith(".js"));
  expect(all.filter((name) => !known.includes(`assets/${name}`))).toEqual([]);
});
