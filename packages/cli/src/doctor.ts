import { reachDatabase } from "@aiw/core/health";
import { connect } from "@aiw/platform/db";
import { type Env, loadEnv, unknownVariables } from "@aiw/platform/env";
import { checkListen } from "@aiw/platform/listen";
import { migrationStatus } from "@aiw/platform/migrate";
import { createQueue } from "@aiw/platform/queue";

type Source = Readonly<Record<string, string | undefined>>;

/** Checks what the product would work with and says each result in a line. 0: all is well. @throws EnvError */
export async function doctor(source: Source): Promise<number> {
  const env = loadEnv(source);
  say(true, "variables");
  for (const name of unknownVariables(source)) say(false, name, "is not known; a typing error?");
  const results: boolean[] = [];
  for (const [name, check] of checksOf(env)) {
    results.push(await attempt(name, check));
  }
  if (results.length === 0) process.stdout.write("Nothing is configured that could be checked.\n");
  return results.every(Boolean) && unknownVariables(source).length === 0 ? 0 : 1;
}

function checksOf(env: Env): [string, () => Promise<void>][] {
  const checks: [string, () => Promise<void>][] = [];
  for (const [name, url] of [
    ["database as aiw_api", env.AIW_DATABASE_API_URL],
    ["database as aiw_step", env.AIW_DATABASE_STEP_URL],
  ] as const) {
    if (url !== undefined) checks.push([name, () => reach(url)]);
  }
  const { AIW_DATABASE_ADMIN_URL: admin, AIW_DATABASE_LISTEN_URL: listenUrl } = env;
  if (admin !== undefined) checks.push(["migrations", () => requireMigrated(admin)]);
  if (listenUrl !== undefined) checks.push(["subscription", () => checkListen(listenUrl)]);
  const endpoint = env.AIW_SQS_ENDPOINT ?? env.AWS_ENDPOINT_URL;
  for (const [name, url] of [
    ["step queue", env.AIW_STEP_QUEUE_URL],
    ["jobs queue", env.AIW_JOBS_QUEUE_URL],
  ] as const) {
    if (url !== undefined)
      checks.push([
        name,
        () => reachQueue({ url, region: env.AWS_REGION, ...(endpoint === undefined ? {} : { endpoint }) }),
      ]);
  }
  return checks;
}

async function reach(url: string): Promise<void> {
  const db = connect({ url, max: 1, applicationName: "aiw-cli" });
  try {
    await reachDatabase(db);
  } finally {
    await db.close();
  }
}

async function requireMigrated(adminUrl: string): Promise<void> {
  const status = await migrationStatus(adminUrl);
  if (status.databaseIsNewer) throw new Error("belongs to a newer version of the product");
  if (status.pending.length > 0) throw new Error(`pending: ${status.pending.join(", ")}; run: aiw migrate`);
}

async function reachQueue(options: { url: string; region: string; endpoint?: string }): Promise<void> {
  const queue = createQueue(options);
  try {
    await queue.depth();
  } finally {
    queue.close();
  }
}

async function attempt(name: string, check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    say(true, name);
    return true;
  } catch (error) {
    say(false, name, error instanceof Error ? error.message : "failed");
    return false;
  }
}

const say = (ok: boolean, name: string, why = ""): void =>
  void process.stdout.write(`${ok ? "ok  " : "FAIL"} ${name}${why === "" ? "" : `: ${why}`}\n`);
