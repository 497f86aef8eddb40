import { connect } from "@aiw/platform/db";
import type { Database } from "@aiw/platform/db";
import { checkListen, createNotifier, joinPayloads, listen } from "@aiw/platform/listen";
import { createLog } from "@aiw/platform/log";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../kit/postgres.ts";
import type { TestDatabase } from "../kit/postgres.ts";

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createDatabase();
  db = connect({ url: database.adminUrl, max: 2, applicationName: "test" });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** A list whose reader can wait for its n-th entry. */
function recorder() {
  const entries: string[] = [];
  const waiting = new Set<() => void>();
  const add = (entry: string): void => {
    entries.push(entry);
    for (const wake of waiting) wake();
  };
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (entries.length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { entries, add, until };
}

describe("RUN-11 notifications", () => {
  test("RUN-11 hints of one moment arrive once each, in one notification, outside any transaction", async () => {
    const heard = recorder();
    const listener = await listen(database.apiUrl, "runs", { onNotify: heard.add, onReady: () => undefined });
    const notifier = createNotifier(db, "runs");
    for (const id of ["a", "b", "a", "c"]) notifier.notify(id);
    await heard.until(1);
    notifier.notify("d");
    await notifier.flush();
    await heard.until(2);
    expect(heard.entries).toEqual(["a,b,c", "d"]);
    await listener.close();
  });

  test("RUN-11 after a cut connection the subscription comes back and says so", async () => {
    const heard = recorder();
    const ready = recorder();
    const listener = await listen(database.adminUrl, "cut", { onNotify: heard.add, onReady: () => ready.add("ready") });
    for (let round = 1; round <= 3; round += 1) {
      await ready.until(round);
      await db.sql`select pg_notify('cut', ${String(round)})`;
      await heard.until(round);
      await db.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'aiw-listen-cut'`;
    }
    await ready.until(4);
    expect(heard.entries).toEqual(["1", "2", "3"]);
    await listener.close();
  });

  test("F82 payloads stay below the limit whatever is queued, and a failure is logged, not thrown", async () => {
    const heard = recorder();
    const listener = await listen(database.adminUrl, "many", { onNotify: heard.add, onReady: () => undefined });
    const ids = Array.from(
      { length: 1_000 },
      (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`,
    );
    const notifier = createNotifier(db, "many");
    for (const id of ids) notifier.notify(id);
    await notifier.flush();
    await heard.until(5);
    expect(heard.entries.join(",").split(",")).toEqual(ids);
    expect(joinPayloads(["x".repeat(8_000), "y"], 7_900)).toEqual(["y"]);

    const lines: string[] = [];
    const closed = connect({ url: database.adminUrl, max: 1, applicationName: "test" });
    await closed.close();
    const broken = createNotifier(closed, "many", {
      log: createLog({ level: "warn", write: (line) => void lines.push(line) }),
    });
    broken.notify("a");
    await broken.flush();
    expect(lines).toHaveLength(1);
    await listener.close();
  });

  test("OPS-6 a direct connection passes the check, an unreachable one fails it", async () => {
    await checkListen(database.apiUrl);
    await expect(checkListen("postgres://nobody:nothing@127.0.0.1:1/none")).rejects.toThrow();
  });
});
