import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plantedBugs } from "./chaos/g19.ts";
import { ROOT } from "./kit/stack.ts";

test("G19 there are at least 25 planted bugs, each says what it breaks and which test must notice, and each still applies", () => {
  const bugs = plantedBugs();
  expect(bugs.length).toBeGreaterThanOrEqual(25);
  expect(bugs.filter(({ file }) => !existsSync(join(ROOT, file))).map(({ name, file }) => `${name}: ${file}`)).toEqual(
    [],
  );
  const broken = bugs.flatMap(({ name, path }) => {
    const { status, stderr } = spawnSync("git", ["apply", "--unidiff-zero", "--check", path], {
      cwd: ROOT,
      encoding: "utf8",
    });
    return status === 0 ? [] : [`${name}: ${stderr}`];
  });
  expect(broken).toEqual([]);
});
