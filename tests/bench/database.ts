import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@aiw/infra/local/postgres";
import { connect, type Database } from "@aiw/platform/db";
import { migrate, provisionRoles, roleUrl } from "@aiw/platform/migrate";

export interface BenchDatabase {
  /** The superuser's address, of the product's database or of another one on the same server. */
  readonly url: (database?: string) => string;
  readonly admin: Database;
  /** Connects as the step function does; `port` of a proxy before the server. */
  readonly asStep: (connections: number, port?: number) => Database;
  readonly close: () => Promise<void>;
}

/** A server of its own with the product's schema; `durable`: commits wait for the disk, as they do for real. */
export const openBench = async (durable: boolean): Promise<BenchDatabase> => {
  const directory = mkdtempSync(join(tmpdir(), "aiw-bench-"));
  const postgres = await startPostgres({ dataDir: join(directory, "postgres"), durable });
  const admin = connect({ url: postgres.url(), max: 2, applicationName: "bench" });
  const opened: Database[] = [admin];
  await migrate({ adminUrl: postgres.url() });
  await provisionRoles(postgres.url(), { api: "a".repeat(20), step: "b".repeat(20), retention: "c".repeat(20) });
  return {
    url: (database) => {
      const url = new URL(postgres.url());
      if (database !== undefined) url.pathname = `/${database}`;
      return url.href;
    },
    admin,
    asStep: (connections, port) => {
      const url = new URL(roleUrl(postgres.url(), "aiw_step", "b".repeat(20)));
      if (port !== undefined) url.port = String(port);
      const db = connect({ url: url.href, max: connections, applicationName: "bench-step" });
      opened.push(db);
      return db;
    },
    close: async () => {
      await Promise.all(opened.map((db) => db.close()));
      await postgres.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
