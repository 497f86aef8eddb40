import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { ROOT } from "../kit/stack.ts";
import { randomFrom } from "../kit/watch.ts";
import { replay, type Harness } from "./harness.ts";

/** A planted bug: a difference to the product, what it breaks, and who must notice. */
export interface Bug {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly project: string;
  readonly file: string;
}

const FOLDER = join(ROOT, "tests", "chaos", "bugs");
const HEADER = /^Bug: (.+)\nCaught by: (\S+) (\S+)\n/;

/** All of them, by name. @throws when a header cannot be read */
export const plantedBugs = (): readonly Bug[] =>
  readdirSync(FOLDER)
    .toSorted()
    .map((file) => {
      const path = join(FOLDER, file);
      const [, title = "", project = "", test = ""] = HEADER.exec(readFileSync(path, "utf8")) ?? [];
      if (title === "") throw new Error(`${file} does not say what it breaks and who must notice`);
      return { name: basename(file, ".patch"), path, title, project, file: test };
    });

/**
 * G19: each bug is planted into a copy of the working tree, and the test that its patch names must fail there. What escapes
 * says that the zeros of the other harnesses mean nothing. `runs` bounds the number of bugs; the seed picks which.
 */
export const g19: Harness = {
  id: "g19",
  longRuns: 1_000,
  run: async (options) => {
    const dice = randomFrom(options.seed);
    const bugs = plantedBugs()
      .map((bug) => ({ bug, order: dice() }))
      .toSorted((a, b) => a.order - b.order)
      .slice(0, options.runs)
      .map(({ bug }) => bug);
    const tree = copyTree();
    const escaped: string[] = [];
    try {
      // The copy itself is sound: otherwise every bug would seem to be noticed.
      for (const file of new Set(bugs.map(({ project, file: test }) => `${project} ${test}`))) {
        const [project = "", test = ""] = file.split(" ");
        if ((await failures(tree, project, test)) !== 0) escaped.push(`${test} fails without a bug`);
      }
      for (const bug of bugs) {
        apply(tree, bug, []);
        const failed = await failures(tree, bug.project, bug.file);
        apply(tree, bug, ["--reverse"]);
        console.log(`G19 ${bug.name}: ${failed === 0 ? "escaped" : `caught by ${failed} tests of ${bug.file}`}`);
        if (failed === 0) escaped.push(`${bug.name} escaped ${bug.file}: ${bug.title} (${replay("g19", options)})`);
      }
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
    return { counts: { bugs: bugs.length, caught: bugs.length - escaped.length }, violations: escaped };
  },
};

/** The files that git knows, as they are now, with the installed packages linked and our own ones from the copy. */
const copyTree = (): string => {
  const tree = mkdtempSync(join(tmpdir(), "aiw-bugs-"));
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  for (const file of listed.stdout.split("\0").filter((name) => name !== "")) {
    mkdirSync(join(tree, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(tree, file));
  }
  linkModules(ROOT, tree);
  for (const folder of ["web", "infra", ...readdirSync(join(ROOT, "packages")).map((name) => join("packages", name))])
    linkModules(join(ROOT, folder), join(tree, folder));
  return tree;
};

const linkModules = (from: string, to: string): void => {
  const source = join(from, "node_modules");
  const names = spawnSync("ls", ["-A", source], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((name) => name !== "");
  if (names.length === 0) return;
  mkdirSync(join(to, "node_modules"), { recursive: true });
  for (const name of names)
    if (name === "@aiw")
      // Relative links: from here they lead into the copy.
      cpSync(join(source, name), join(to, "node_modules", name), { recursive: true, verbatimSymlinks: true });
    else if (!name.startsWith(".vite")) symlinkSync(join(source, name), join(to, "node_modules", name));
};

const apply = (tree: string, bug: Bug, how: readonly string[]): void => {
  const done = spawnSync("git", ["apply", ...how, bug.path], { cwd: tree, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${bug.name} does not apply: ${done.stderr}`);
};

/** How many tests fail there; a file that does not even load counts as one. */
const failures = (tree: string, project: string, file: string): Promise<number> =>
  new Promise((resolve) => {
    const report = join(tree, "report.json");
    rmSync(report, { force: true });
    const child = spawn("vitest", ["run", "--project", project, "--reporter=json", `--outputFile=${report}`, file], {
      cwd: tree,
      stdio: "ignore",
      env: { ...process.env, AIW_CHAOS: "", VITEST: "", VITEST_POOL_ID: "", VITEST_WORKER_ID: "" },
    });
    child.once("exit", (code) => {
      if (code === 0) return resolve(0);
      try {
        const { numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as { numFailedTests: number };
        resolve(Math.max(1, numFailedTests));
      } catch {
        resolve(1);
      }
    });
  });
