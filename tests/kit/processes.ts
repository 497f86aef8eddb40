import { execFileSync } from "node:child_process";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** When it began, so that a number used again is not taken for the same process. */
  readonly began: string;
  readonly command: string;
}

/** The process table. Zombies are left out: they hold nothing any more. */
export const processTable = (): readonly ProcessRow[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,lstart=,args="], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    maxBuffer: 2 ** 26,
  })
    .split("\n")
    .flatMap((line) => {
      const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+ \S+\s+\S+ \S+ \S+)\s+(.*)$/.exec(line);
      if (found === null || found[3]?.startsWith("Z") === true) return [];
      return [{ pid: Number(found[1]), parent: Number(found[2]), began: found[4] ?? "", command: found[5] ?? "" }];
    });

/** A process and everything below it. */
export const processTree = (root: number): readonly ProcessRow[] => {
  const table = processTable();
  const found = table.filter((row) => row.pid === root);
  for (const parent of found) found.push(...table.filter((row) => row.parent === parent.pid && !found.includes(row)));
  return found;
};

/** Which of them are still there. */
export const stillAlive = (rows: readonly ProcessRow[]): readonly ProcessRow[] => {
  const now = processTable();
  return rows.filter((row) => now.some((other) => other.pid === row.pid && other.began === row.began));
};

/** Resolves with what is left of these processes: nothing, or those that outlive the limit. */
export const gone = async (rows: readonly ProcessRow[], limitMs = 15_000): Promise<readonly string[]> => {
  const end = performance.now() + limitMs;
  for (;;) {
    const left = stillAlive(rows);
    if (left.length === 0 || performance.now() > end) return left.map((row) => row.command);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
