import { spawnSync } from "node:child_process";
import type { Emulator } from "../emulator.ts";
import { startComposed } from "./docker.ts";
import { reachable, untilReady } from "./health.ts";
import { findPython, startInPython } from "./python.ts";

export interface LocalStackOptions {
  /** Folder for what it installs and keeps; shared by all data folders of this copy of the product. */
  readonly cacheDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Tells a person what takes long. */
  readonly say: (line: string) => void;
}

/**
 * SQS and S3 by a real LocalStack (OPS-2), in the first of three ways that is there: one that runs already
 * (`AWS_ENDPOINT_URL`), a container (docker compose), or its own Python package without Docker. `AIW_LOCALSTACK` asks for
 * one of them. @throws an error that says what to do
 */
export const startLocalStack = async (options: LocalStackOptions): Promise<Emulator> => {
  const { environment, say } = options;
  // Checked with the rest of the environment.
  const wanted = environment["AIW_LOCALSTACK"] || "any";
  const endpoint = environment["AWS_ENDPOINT_URL"] ?? "";
  if (endpoint !== "") {
    await reachable(endpoint);
    return { endpoint, stop: async () => undefined };
  }
  if (wanted === "docker" || (wanted === "any" && hasDocker())) {
    say("LocalStack is started by docker compose ...");
    return startComposed(untilReady);
  }
  const python = findPython();
  if (python !== null) return startInPython({ ...options, python });
  throw new Error(
    wanted === "python"
      ? "no Python 3.12 or newer was found; install one, or use Docker, or set AWS_ENDPOINT_URL to a LocalStack that runs"
      : "LocalStack needs one of three: AWS_ENDPOINT_URL of one that runs, Docker with compose, or Python 3.12 or newer; none was found",
  );
};

const hasDocker = (): boolean =>
  spawnSync("docker", ["info"], { stdio: "ignore", timeout: 5000 }).status === 0 &&
  spawnSync("docker", ["compose", "version"], { stdio: "ignore", timeout: 5000 }).status === 0;
