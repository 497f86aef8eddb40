import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Emulator } from "../emulator.ts";

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const ENDPOINT = "http://127.0.0.1:4566";

const compose = (...args: string[]) =>
  spawnSync("docker", ["compose", "--file", join(root, "compose.yaml"), ...args], { encoding: "utf8" });

/** LocalStack as a container by compose.yaml; removed at the end. */
export const startComposed = async (
  untilReady: (endpoint: string, ended: () => string | null) => Promise<void>,
): Promise<Emulator> => {
  const up = compose("up", "--detach", "localstack");
  if (up.status !== 0) throw new Error(`docker compose could not start LocalStack: ${lastLine(up.stderr)}`);
  const stop = async (): Promise<void> => void compose("rm", "--stop", "--force", "localstack");
  try {
    await untilReady(ENDPOINT, () => null);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint: ENDPOINT, stop };
};

const lastLine = (text: string | null): string => (text ?? "").trim().split("\n").at(-1) ?? "";
