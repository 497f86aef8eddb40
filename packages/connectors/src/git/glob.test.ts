import { expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

const matches = (pattern: string, path: string): boolean => {
  const glob = compileGlob(pattern);
  return glob.ok && glob.matches(path);
};

test.each([
  ["**", "a/b/c.ts", true],
  ["*.ts", "a/b/c.ts", true],
  ["*.ts", "c.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/x/a.ts", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/x/y/a.ts", true],
  ["./src/**", "src/x/y", true],
  ["/src/", "src/x/y", true],
  ["src/**", "lib/x", false],
  ["**/test/**", "a/test/b", true],
  ["?.md", "a.md", true],
  ["?.md", "ab.md", false],
  ["?.md", "😀.md", true],
  ["[a-c].md", "b.md", true],
  ["[!a-c].md", "b.md", false],
  ["[x", "[x", true],
  ["*.{ts,tsx}", "a/b.tsx", true],
  ["{src,lib}/**/*.{js,{ts,mts}}", "lib/q/b.mts", true],
  ["a*b*c", "aXbYc", true],
  ["a*b*c", "aXbY", false],
  ["**/**/a/**/**/b", "a/b", true],
])("%s and %s: %s (GIT-1)", (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test.each(["{a", "a}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "x".repeat(600)])("%s is refused (N69)", (pattern) => {
  expect(compileGlob(pattern).ok).toBe(false);
});

test("glob bombs take no time (N69)", () => {
  const path = Array.from({ length: 200 }, () => "a".repeat(20)).join("/");
  const started = performance.now();
  for (const bomb of [
    "**/".repeat(150) + "b",
    "*a".repeat(200) + "b",
    "**/*a*a*a*a*a*a*a*a*b",
    "**/a*/".repeat(80) + "x",
  ]) {
    expect(matches(bomb, path)).toBe(false);
  }
  expect(performance.now() - started).toBeLessThan(500);
});
