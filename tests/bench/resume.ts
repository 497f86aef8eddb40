import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Human } from "@aiw/contract/actors";
import * as approvals from "@aiw/core/approvals";
import { startEmulator } from "@aiw/infra/local/emulator";
import { run as serve } from "@aiw/infra/local/runner";
import type { Database } from "@aiw/platform/db";
import { createLog } from "@aiw/platform/log";
import { createQueue, ensureQueues } from "@aiw/platform/queue";
import { createVault } from "@aiw/platform/vault";
import { openBench, type BenchDatabase } from "./database.ts";
import { ARGS, RESULT, startRun, world, type Ids } from "./engine-world.ts";
import { claimFloor, FLOOR, floorStep, startFloorRun } from "./floor.ts";
import { openPeers } from "./peers.ts";
import { inTurn, median, pairedRatio } from "./stats.ts";

export interface Resume {
  readonly rounds: number;
  /** Milliseconds from the decision to the start of the approved call, medians over the rounds. */
  readonly engineMs: number;
  readonly floorMs: number;
  readonly langgraphMs: number;
  readonly dbosMs: number;
  /** Median of the ratios of paired rounds: ours to the floor, and the peers to ours. */
  readonly ratio: number;
  readonly langgraphRatio: number;
  readonly dbosRatio: number;
}

/**
 * From a decision to the call it allows, with `turns` calls of history: ours and the floor over the same queue, with all
 * that is looked at again; the peers, which have neither, called directly.
 */
export const measureResume = async (turns: number, rounds: number): Promise<Resume> => {
  const bench = await openBench(true);
  const peers = await openPeers(bench, { args: ARGS, result: RESULT });
  const queue = await openQueue();
  try {
    await bench.admin.sql.unsafe(FLOOR);
    const ids = await world(bench.admin);
    const db = bench.asStep(4);
    const { engine, floor, langgraph, dbos } = await inTurn(rounds, {
      engine: () => engineResume({ bench, db, queue }, ids, turns),
      floor: () => floorResume({ db, queue }, turns),
      langgraph: () => peers.langgraph.resume(turns),
      dbos: () => peers.dbos.resume(turns),
    });
    return {
      rounds,
      engineMs: median(engine),
      floorMs: median(floor),
      langgraphMs: median(langgraph),
      dbosMs: median(dbos),
      ratio: pairedRatio(engine, floor),
      langgraphRatio: pairedRatio(langgraph, engine),
      dbosRatio: pairedRatio(dbos, engine),
    };
  } finally {
    await queue.close();
    await peers.close();
    await bench.close();
  }
};

interface BenchQueue {
  readonly send: (body: object) => Promise<void>;
  /** Takes messages from now on; the one before is not called any more. */
  readonly onMessage: (handle: (body: string) => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

/** A queue on the emulator with the product's own loop behind it. */
const openQueue = async (): Promise<BenchQueue> => {
  const directory = mkdtempSync(join(tmpdir(), "aiw-bench-queue-"));
  const emulator = await startEmulator({ dataDir: directory });
  const region = "eu-central-1";
  const { bench } = await ensureQueues(emulator.endpoint, region, [{ name: "bench", visibilityS: 60 }]);
  const queue = createQueue({ region, endpoint: emulator.endpoint, url: bench.url });
  let handle: (body: string) => Promise<void> = async () => undefined;
  const loop = serve(
    {
      name: "bench",
      queueUrl: bench.url,
      endpoint: emulator.endpoint,
      region,
      visibilityS: 60,
      concurrency: 4,
      handler: async ({ Records }) => {
        for (const { body } of Records) await handle(body);
        return { batchItemFailures: [] };
      },
    },
    createLog({ level: "silent" }),
  );
  return {
    send: (body) => queue.send(body),
    onMessage: (next) => void (handle = next),
    close: async () => {
      await loop.stop();
      queue.close();
      await emulator.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const personOf = (userId: string): Human => ({
  kind: "human",
  userId,
  name: "approver",
  displayName: "Approver",
  isPlatformAdmin: false,
  isGlobalApprover: false,
  mustChangePassword: false,
});
const vault = createVault(Buffer.alloc(32, 1).toString("base64"));
const log = createLog({ level: "silent" });

interface Place {
  readonly bench: BenchDatabase;
  readonly db: Database;
  readonly queue: BenchQueue;
}

const engineResume = async ({ bench, db, queue }: Place, ids: Ids, turns: number): Promise<number> => {
  const reached = Promise.withResolvers<number>();
  const run = await startRun(bench.admin, db, ids, turns, "asks", () => reached.resolve(performance.now()));
  while (await run.step());
  const [request] = await bench.admin.sql<{ id: string; snapshot_hash: string }[]>`
    select id, snapshot_hash from approvals where run_id = ${run.runId} and status = 'pending'`;
  if (request === undefined) throw new Error("the run does not wait for a person");
  queue.onMessage(async () => void (await run.step()));
  const decided = performance.now();
  await approvals.decide(
    { actor: personOf(ids.approverId), db: bench.admin, log, requestId: "bench" },
    [ids.workspaceId],
    { approvalId: request.id, vote: "approved", reason: null, seenHash: request.snapshot_hash, channel: "page" },
    900,
    vault,
  );
  await queue.send({ v: 1, runId: run.runId });
  return (await reached.promise) - decided;
};

/** Decision, doorbell, claim, history, the stored bytes against their hash, the intent; then the call would begin. */
const floorResume = async ({ db, queue }: Omit<Place, "bench">, turns: number): Promise<number> => {
  const id = await startFloorRun(db);
  for (let n = 0; n < turns * 2 - 1; n += 1) await floorStep(db, id, n);
  const hash = createHash("sha256").update(ARGS).digest("hex");
  await db.sql`insert into floor_requests (run_id, status, form, hash) values (${id}, 'pending', ${ARGS}, ${hash})`;
  await db.sql`update floor_runs set status = 'waiting' where id = ${id}`;
  const reached = Promise.withResolvers<number>();
  queue.onMessage(async () => {
    const fence = await claimFloor(db, id);
    const [claimed] = await db.sql<{ form: string; hash: string }[]>`
      with a as (update floor_requests set status = 'executing' where run_id = ${id} and status = 'approved'
                  and exists (select from floor_runs where id = ${id} and fence = ${fence} and status = 'running') returning form, hash),
           l as (insert into floor_audit (run_id, event) select ${id}, 'executing' from a)
      select form, hash from a`;
    if (
      createHash("sha256")
        .update(claimed?.form ?? "")
        .digest("hex") !== claimed?.hash
    )
      throw new Error("changed");
    reached.resolve(performance.now());
  });
  const decided = performance.now();
  await db.sql`
    with a as (update floor_requests set status = 'approved', decided_at = now() where run_id = ${id} and status = 'pending' returning run_id),
         r as (update floor_runs set status = 'queued', last_seq = last_seq + 1 where id in (select run_id from a) returning id, last_seq),
         e as (insert into floor_events (run_id, seq, type, data) select id, last_seq, 'decided', '{}' from r),
         l as (insert into floor_audit (run_id, event) select id, 'decided' from r)
    select id from r`;
  await queue.send({ runId: id });
  return (await reached.promise) - decided;
};
