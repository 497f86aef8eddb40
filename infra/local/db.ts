import { join, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadEnv } from "@aiw/platform/env";
import { connect } from "@aiw/platform/db";
import { migrationStatus } from "@aiw/platform/migrate";
import { startPostgres } from "./postgres.ts";

/** `npm run db`: what the local database knows, and what it is short of. The stack must not be running. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const env = loadEnv(process.env);
const postgres = await startPostgres({ dataDir: join(root, env.AIW_DATA_DIR, "postgres"), durable: true });
try {
  const status = await migrationStatus(postgres.url("aiw"));
  console.log(JSON.stringify(status, null, 2));
  const db = connect({ url: postgres.url("aiw"), max: 1, applicationName: "aiw-db" });
  const rows = await db.sql<
    { status: string; n: number }[]
  >`select status, count(*)::int as n from runs group by status order by status`;
  console.table(rows.map((r) => ({ runs: r.status, count: r.n })));
  await db.close();
} finally {
  await postgres.stop();
}
