import { expect, test } from "vitest";
import { runGit } from "@aiw/infra/local/git-command";
import type { Database } from "@aiw/platform/db";
import type { Client } from "../kit/client.ts";
import {
  answerOf,
  approve,
  demoWorkspace,
  ENDS,
  isEnd,
  newChat,
  requestOf,
  runEnds,
  runIs,
  say,
} from "../kit/people.ts";
import { gone } from "../kit/processes.ts";
import { aiRefs, requestsOf, topic, violations } from "../kit/runs.ts";
import { dataFolder, gitOf, startLocal, startProduct, until, type LocalStack, type Product } from "../kit/stack.ts";
import { pickSeed, randomFrom, watch } from "../kit/watch.ts";

/** Short leases, so that a death is noticed soon; more attempts than kills, so that every run can reach its end. */
const QUICK = {
  AIW_LEASE_S: "3",
  AIW_PUSH_S: "3",
  AIW_HEARTBEAT_S: "1",
  AIW_DOORBELL_GRACE_S: "2",
  AIW_STEP_ATTEMPTS: "100",
  AIW_TEAM_MAX_PARALLEL_RUNS: "20",
};

test("RUN-4 a worker killed in the middle of a streaming answer is taken over: one answer, no event lost or doubled", async () => {
  const local: LocalStack = await startLocal({ env: QUICK });
  try {
    const member = await local.signIn("member");
    const workspaceId = await demoWorkspace(member);
    const words = Array.from({ length: 60 }, (_, n) => `word${n} `);
    const about = topic();
    // The first attempt is slow enough to die in; the second is asked anew.
    local.script.push(about, { chunks: words, chunkDelayMs: 100 }, { chunks: words, chunkDelayMs: 5 });
    const chatId = await newChat(member, workspaceId);
    const runId = await say(member, workspaceId, chatId, `tell me ${about}`);
    await until("text is streamed", async () => {
      const { items } = await member.call("runEventList", { params: { runId } });
      return items.filter((event) => event.type === "message.delta").length > 2 ? true : undefined;
    });
    local.stack.killWorker();
    const run = await runEnds(member, runId);
    expect(run.status).toBe("completed");
    expect((await answerOf(member, workspaceId, chatId)).trim()).toBe(words.join("").trim());
    const { items } = await member.call("runEventList", { params: { runId } });
    expect(items.filter((event) => event.type === "attempt.reset").length).toBe(1);
    expect(await violations(watch(local.admin, local.repository.directory), [runId])).toEqual([]);
  } finally {
    await local.stop();
  }
});

/** What each conversation asks for, over and over: half of them change something. */
const QUESTIONS: readonly string[] = [
  "find `discount`",
  "ersetze `goods > DISCOUNT_FROM` durch `goods >= DISCOUNT_FROM` in src/discount.ts",
  "read AGENTS.md",
  "replace `at least one item` with `one item or more` in src/order.ts",
  "erkläre src/total.ts",
  "ersetze `const SHIPPING = 490;` durch `const SHIPPING = 590;` in src/shipping.ts",
  "list src then find `price`",
  "replace `64 * 1024` with `32 * 1024` in src/server.ts",
  "lies src/shipping.ts",
  "replace `Everything the invoice shows` with `All the invoice shows` in src/total.ts",
];

test(
  "RUN-4 20 random kill -9 of the worker while 10 conversations go on: every run ends, nothing is pushed twice, nothing is lost",
  { timeout: 280_000 },
  async () => {
    const seed = pickSeed("random kills");
    const random = randomFrom(seed);
    const folder = dataFolder();
    const product = await startProduct({ dataDir: folder.path, env: QUICK });
    const admin = product.admin();
    try {
      const member = await product.signIn("member");
      const owner = await product.signIn("owner");
      const repository = gitOf(folder.path).directory;
      const workspaceId = await demoWorkspace(member);
      const state = { killing: true, busy: QUESTIONS.length };
      const approver = approveAll(await product.signIn("approver"), () => state.killing || state.busy > 0);
      const runIds: string[] = [];
      const conversations = QUESTIONS.map(async (question) => {
        const chatId = await newChat(member, workspaceId);
        do {
          const runId = await say(member, workspaceId, chatId, question);
          runIds.push(runId);
          await seeThrough(member, owner, runId, repository);
        } while (state.killing);
        state.busy -= 1;
      });
      await killWorkers(product, admin, random, 20);
      state.killing = false;
      await Promise.all(conversations);
      const approved = await approver;

      const watched = watch(admin, repository);
      expect(await violations(watched, runIds), `seed ${seed}`).toEqual([]);
      const rows = await Promise.all(runIds.map((runId) => watched.row(runId)));
      expect(
        rows.map((row) => row.status).filter((status) => status !== "completed"),
        `seed ${seed}`,
      ).toEqual([]);
      const requests = (await Promise.all(runIds.map((runId) => requestsOf(watched, runId)))).flat();
      const executed = requests.filter((request) => request.status === "executed");
      expect(executed.length).toBe(requests.length);
      expect(new Set(requests.map((request) => request.id))).toEqual(approved);
      expect(aiRefs(watched).size, `refs on the server, seed ${seed}`).toBe(executed.length);
      console.log(
        `20 kills, ${runIds.length} runs, ${executed.length} pushes, ${rows.reduce((sum, row) => sum + row.fence, 0)} claims`,
      );
    } finally {
      await admin.close();
      product.signal("SIGKILL");
      await product.exited;
      folder.end();
    }
  },
);

/**
 * Follows a run to its end. A write that a kill interrupted before the server had it is not repeated blindly: its outcome
 * is a person's to say, who looks at the server first (RUN-7).
 */
const seeThrough = async (member: Client, owner: Client, runId: string, repository: string): Promise<void> => {
  for (;;) {
    const run = await runIs(member, runId, [...ENDS, "needs_reconciliation"], 200_000);
    if (isEnd(run.status)) return;
    const { approvals } = await owner.call("getRun", { params: { runId } });
    const open = approvals.find((approval) => approval.status === "unknown");
    if (open === undefined) throw new Error("nothing to reconcile");
    const { preconditions } = await owner.call("getApproval", { params: { approvalId: open.id } });
    const there = runGit(["-C", repository, "for-each-ref", String(preconditions["branch"])]) !== "";
    const outcome = there ? "happened" : "retry";
    await owner.call("reconcileRun", {
      params: { runId },
      body: { approvalId: open.id, outcome, comment: "Looked at the server." },
    });
  }
};

/** Decides what appears, as long as `goesOn`; answers with the ids of what it approved. */
const approveAll = async (approver: Client, goesOn: () => boolean): Promise<ReadonlySet<string>> => {
  const decided = new Set<string>();
  while (goesOn()) {
    const { items } = await approver.call("listApprovals", { query: { filter: "open" } });
    for (const item of items.filter((each) => each.decidable)) {
      const detail = await approver.call("getApproval", { params: { approvalId: item.id } });
      await approve(approver, detail);
      decided.add(item.id);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return decided;
};

/** Kills the worker `times` times, each time at a random moment after the new one has begun to work. */
const killWorkers = async (product: Product, admin: Database, random: () => number, times: number): Promise<void> => {
  const killed = new Set<number>();
  for (let n = 0; n < times; n += 1) {
    const pid = await until("another worker works", async () => {
      const found = product.workers().find((each) => !killed.has(each));
      const [row] = await admin.sql<
        { n: number }[]
      >`select count(*)::int as n from pg_stat_activity where application_name = 'aiw-step'`;
      return found !== undefined && (row?.n ?? 0) > 0 ? found : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 50 + random() * 1450));
    process.kill(pid, "SIGKILL");
    killed.add(pid);
  }
};

test(
  "RUN-4 the whole stack killed in the middle of a run goes on after its restart",
  { timeout: 120_000 },
  async () => {
    const folder = dataFolder();
    let product = await startProduct({ dataDir: folder.path, env: QUICK });
    let admin: Database | undefined;
    try {
      const before = await product.signIn("member");
      const workspaceId = await demoWorkspace(before);
      const reads = await newChat(before, workspaceId);
      const writes = await newChat(before, workspaceId);
      const waiting = await say(before, workspaceId, writes, QUESTIONS[1] ?? "");
      const request = await requestOf(before, waiting);
      const running = await say(before, workspaceId, reads, "read README.md and AGENTS.md and src/order.ts");
      await until("the run has begun", async () => {
        const run = await before.call("getRun", { params: { runId: running } });
        return run.lastSeq > 1 && !isEnd(run.status) ? true : undefined;
      });
      const tree = product.tree();
      product.process.kill("SIGKILL");
      await product.exited;
      expect(await gone(tree)).toEqual([]);

      product = await startProduct({ dataDir: folder.path, env: QUICK });
      admin = product.admin();
      const after = await product.signIn("member");
      expect((await runEnds(after, running, 60_000)).status).toBe("completed");
      // The frozen request lived through it and is executed once, as it was seen before.
      await approve(await product.signIn("approver"), request);
      expect((await runEnds(after, waiting)).status).toBe("completed");
      const watched = watch(admin, gitOf(folder.path).directory);
      expect(await violations(watched, [running, waiting])).toEqual([]);
      expect(aiRefs(watched).size).toBe(1);
    } finally {
      await admin?.close();
      product.signal("SIGKILL");
      await product.exited;
      folder.end();
    }
  },
);

test("RUN-11 streams cut and resumed at random places each end with exactly the events 1..n", async () => {
  const seed = pickSeed("random cuts");
  const random = randomFrom(seed);
  const local = await startLocal();
  try {
    const member = await local.signIn("member");
    const workspaceId = await demoWorkspace(member);
    const about = topic();
    const pieces = Array.from({ length: 80 }, (_, n) => `Stück ${n} äöü 🙂 `);
    local.script.push(
      about,
      {
        calls: [
          { name: "git_list_dir", arguments: { path: "src" } },
          { name: "git_read_file", arguments: { path: "README.md" } },
        ],
      },
      { chunks: pieces, chunkDelayMs: 40 },
    );
    const runId = await say(member, workspaceId, await newChat(member, workspaceId), `stream ${about}`);
    const seen = await Promise.all(
      Array.from({ length: 5 }, (_, n) => followWithCuts(member, runId, random, n % 2 === 0)),
    );
    await runEnds(member, runId);
    const { items } = await member.call("runEventList", { params: { runId } });
    expect(items.length).toBeGreaterThan(10);
    for (const { events, cuts } of seen) {
      expect(cuts).toBeGreaterThan(3);
      expect(
        events.map((event) => event.seq),
        `seed ${seed}`,
      ).toEqual(items.map((_, index) => index + 1));
      expect(events.map((event) => event.type)).toEqual(items.map((event) => event.type));
    }
  } finally {
    await local.stop();
  }
});

/** Reads a run to its end through connections that are torn after a random number of bytes. */
const followWithCuts = async (client: Client, runId: string, random: () => number, byHeader: boolean) => {
  const events: Awaited<ReturnType<Client["events"]>>["events"][number][] = [];
  let cuts = 0;
  let fruitless = 0;
  for (;;) {
    const position = events.at(-1)?.seq ?? 0;
    // Most cuts fall inside an event; a long event needs a connection that lives longer.
    const cutAfterBytes = 1 + Math.floor(random() * 900 * 2 ** fruitless);
    const part = await client.events(runId, {
      cutAfterBytes,
      ...(byHeader ? { lastEventId: position } : { after: position }),
    });
    events.push(...part.events);
    fruitless = part.events.length > 0 ? 0 : fruitless + 1;
    if (part.ended === "server") return { events, cuts };
    cuts += 1;
  }
};
