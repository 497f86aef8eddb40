import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "@aiw/infra/local/emulator";

/** The LocalStack that the whole test run talks to, when it is run on one (OPS-2). */
export const LOCALSTACK = process.env["AIW_TEST_CLOUD"] || undefined;

/** SQS and S3 for a test: an emulator of its own, or the LocalStack of the run. */
export const startCloud = async (): Promise<Emulator> => {
  if (LOCALSTACK !== undefined) return { endpoint: LOCALSTACK, stop: async () => undefined };
  const directory = mkdtempSync(join(tmpdir(), "aiw-emulator-"));
  const emulator = await startEmulator({ dataDir: directory });
  return {
    endpoint: emulator.endpoint,
    stop: async () => {
      await emulator.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
