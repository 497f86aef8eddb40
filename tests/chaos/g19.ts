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
        const broken = await firstFailure(tree, project, test);
        if (broken !== null) escaped.push(`${test} fails without a bug: ${broken}`);
      }
      for (const bug of bugs) {
        apply(tree, bug, []);
        const noticed = await firstFailure(tree, bug.project, bug.file);
        apply(tree, bug, ["--reverse"]);
        console.log(`G19 ${bug.name}: ${noticed === null ? "escaped" : `caught by "${noticed}" (${bug.file})`}`);
        if (noticed === null) escaped.push(`${bug.name} escaped ${bug.file}: ${bug.title} (${replay("g19", options)})`);
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
  const done = spawnSync("git", ["apply", "--unidiff-zero", ...how, bug.path], { cwd: tree, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${bug.name} does not apply: ${done.stderr}`);
};

interface Report {
  readonly testResults: readonly {
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** The first test that fails there, or what kept the file from being run; null: all pass. */
const firstFailure = (tree: string, project: string, file: string): Promise<string | null> =>
  new Promise((resolve) => {
    const report = join(tree, "report.json");
    rmSync(report, { force: true });
    const child = spawn(
      "vitest",
      ["run", "--project", project, "--bail=1", "--reporter=json", `--outputFile=${report}`, file],
      {
        cwd: tree,
        stdio: "ignore",
        env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|AIW_)/.test(name))),
      },
    );
    child.once("exit", (code) => {
      if (code === 0) return resolve(null);
      try {
        const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
        const failed = testResults.flatMap((one) => one.assertionResults).find(({ status }) => status === "failed");
        resolve(failed?.fullName ?? testResults[0]?.message?.slice(0, 200) ?? "the file could not be run");
      } catch {
        resolve("the tests could not be run");
      }
    });
  });
