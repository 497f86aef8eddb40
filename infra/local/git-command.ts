import { spawnSync } from "node:child_process";
import { devNull, tmpdir } from "node:os";

/** Git without the settings of the person or machine it runs on, so that results are the same everywhere. */
export const GIT_ENV: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  HOME: tmpdir(),
  LANG: "C.UTF-8",
  TZ: "UTC",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: "0",
  // Repositories of the local stack may belong to another account than the one that serves them.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};

/** Runs the machine's own git and answers what it printed. @throws with what git said when it fails. */
export const runGit = (args: readonly string[], input?: string | Uint8Array): string => {
  const done = spawnSync("git", [...args], { env: GIT_ENV, input, maxBuffer: 64 * 1024 * 1024 });
  if (done.error !== undefined) throw new Error("git cannot be run. Install git first.", { cause: done.error });
  if (done.status !== 0) throw new Error(`git ${args[0] ?? ""} failed: ${done.stderr.toString("utf8").trim()}`);
  return done.stdout.toString("utf8");
};
