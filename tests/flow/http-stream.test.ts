import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import * as identity from "@aiw/core/identity";
import * as workspaces from "@aiw/core/workspaces";
import { serveApi, type ApiServer } from "@aiw/function-api/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, type Client, startApi } from "./http-fixture.ts";
import { addRun, addWaiting, claim, commit, stream } from "./http-records.ts";

let api: Api;
let server: ApiServer;
let member: Client;
beforeAll(async () => {
  api = await startApi({ hub: { heartbeatMs: 300, accessMs: 400, pollMs: 200 } });
  server = await serveApi(api.deps, { port: 0, host: "127.0.0.1" });
  member = await api.signIn("member");
});
afterAll(async () => {
  await server.close();
  await api.stop();
});

interface Frame {
  readonly id: string | undefined;
  readonly data: string | undefined;
  readonly raw: string;
}

interface Open {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly frames: Frame[];
  readonly seqs: () => number[];
  readonly ended: Promise<void>;
  readonly isEnded: () => boolean;
  until(found: () => boolean, withinMs?: number): Promise<void>;
  pause(): void;
  close(): void;
}

/** A real connection of its own, read as a browser reads it. */
function open(path: string, client: Client, headers: Record<string, string> = {}): Promise<Open> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      `${server.url}${path}`,
      { headers: { cookie: client.cookie, ...headers }, agent: new Agent() },
      (incoming) => {
        const frames: Frame[] = [];
        const waiters = new Set<() => void>();
        let buffer = "";
        let over = false;
        let finish: () => void = () => undefined;
        const ended = new Promise<void>((done) => {
          finish = done;
        });
        const wake = (): void => {
          for (const waiter of waiters) waiter();
        };
        incoming.setEncoding("utf8");
        incoming.on("data", (text: string) => {
          buffer += text;
          const parts = buffer.split("\n\n");
          buffer = parts.pop() ?? "";
          for (const raw of parts)
            frames.push({ raw, id: /^id: (.*)$/m.exec(raw)?.[1], data: /^data: (.*)$/m.exec(raw)?.[1] });
          wake();
        });
        const end = (): void => {
          over = true;
          finish();
          wake();
        };
        incoming.on("close", end).on("error", end);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          frames,
          ended,
          isEnded: () => over,
          seqs: () => frames.flatMap((frame) => (frame.id === undefined ? [] : [Number(frame.id)])),
          until: (found, withinMs = 5_000) =>
            new Promise((done, fail) => {
              const check = (): void => {
                if (!found()) return;
                clearTimeout(timer);
                waiters.delete(check);
                done();
              };
              const timer = setTimeout(() => {
                waiters.delete(check);
                fail(
                  new Error(
                    `not within ${withinMs} ms; frames: ${frames
                      .map((frame) => frame.raw)
                      .join(" | ")
                      .slice(-600)}`,
                  ),
                );
              }, withinMs);
              waiters.add(check);
              check();
            }),
          pause: () => void incoming.pause(),
          close: () => void outgoing.destroy(),
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);
const hint = (runId: string): Promise<void> => api.deps.hint([runId]);
const finished = (text: string) => ({
  status: "completed",
  endReason: "answered",
  events: [{ type: "message.completed", data: { step: 1, text, final: true } }],
});
const lastSeq = async (runId: string): Promise<number> =>
  Number((await api.admin.sql`select last_seq from runs where id = ${runId}`)[0]?.["last_seq"]);
const openRun = (runId: string, client = member, after = "", headers = {}) =>
  open(`/api/runs/${runId}/events${after === "" ? "" : `?after=${after}`}`, client, headers);

test("RUN-11: a stream replays, goes on live, ends after the final event, and answers 204 to who has it all", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const s = await openRun(runId);
  expect(s.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  expect(s.headers["cache-control"]).toBe("no-store, no-transform");
  expect(s.headers["x-accel-buffering"]).toBe("no");
  await s.until(() => s.seqs().length === 1);
  expect(s.frames[0]?.raw).toBe("retry: 2000");
  const fence = await claim(api, runId);
  await stream(api, api.workspaceId, runId, fence, ["a", "b", "c"]);
  await hint(runId);
  await s.until(() => s.seqs().length === 6);
  await commit(api, api.workspaceId, runId, fence, finished("abc"));
  await hint(runId);
  await s.ended;
  const last = await lastSeq(runId);
  expect(s.seqs()).toEqual(upTo(last));
  expect(JSON.parse(s.frames.findLast((frame) => frame.id !== undefined)?.data ?? "")).toMatchObject({
    type: "run.status",
    status: "completed",
    seq: last,
  });

  const again = await openRun(runId, member, "", { "last-event-id": String(last) });
  expect(again.status).toBe(204);
  const late = await openRun(runId, member, "2");
  await late.ended;
  expect(late.seqs()).toEqual(upTo(last).slice(2));
});

test("RUN-11: cut and resumed at random places, over many connections, every event comes once and in order", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const fence = await claim(api, runId);
  const collected: number[] = [];
  let writing = true;
  const writer = (async () => {
    for (let n = 0; n < 60; n += 1) {
      await stream(
        api,
        api.workspaceId,
        runId,
        fence,
        upTo(1 + (n % 7)).map((i) => `${n}.${i}`),
      );
      if (n % 3 !== 0) await hint(runId);
    }
    await commit(api, api.workspaceId, runId, fence, finished("done"));
    await hint(runId);
    writing = false;
  })();
  for (let cut = 1; ; cut += 1) {
    const from = collected.at(-1) ?? 0;
    const s =
      cut % 2 === 0
        ? await openRun(runId, member, String(from))
        : await openRun(runId, member, "0", { "last-event-id": String(from) });
    if (s.status === 204) break;
    await s.until(() => s.isEnded() || s.seqs().length >= 1 + ((cut * 13) % 29));
    collected.push(...s.seqs());
    s.close();
  }
  await writer;
  expect(writing).toBe(false);
  expect(collected).toEqual(upTo(await lastSeq(runId)));
});

test("RUN-11: fifty clients that join at different moments all get every event once", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const fence = await claim(api, runId);
  const streams: Open[] = [];
  for (let n = 0; n < 50; n += 1) {
    if (n % 5 === 0) await stream(api, api.workspaceId, runId, fence, [`${n}`]);
    void hint(runId);
    streams.push(await openRun(runId));
  }
  await commit(api, api.workspaceId, runId, fence, finished("done"));
  await hint(runId);
  await Promise.all(streams.map((s) => s.ended));
  const all = upTo(await lastSeq(runId));
  for (const s of streams) expect(s.seqs()).toEqual(all);
});

test("F83: positions that are none are refused before any byte, one from the future too", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  for (const bad of ["-1", "1e3", "x", "1.5", "9007199254740993", "2", "00", " 1", "0x1"]) {
    const answer = await member.call("GET", `/api/runs/${runId}/events?after=${encodeURIComponent(bad)}`);
    expect(answer.status, bad).toBe(400);
    expect(answer.body.code, bad).toBe("bad_event_id");
    expect(
      (
        await member.call("GET", `/api/runs/${runId}/events`, undefined, {
          "last-event-id": bad.trim() === bad ? bad : "x",
        })
      ).body.code,
    ).toBe("bad_event_id");
  }
});

test("N5: the stream of a foreign run is 404 before any byte, also with a position", async () => {
  const { runId } = await addRun(api, api.otherWorkspaceId, "outsider");
  for (const headers of [{}, { "last-event-id": "1" }]) {
    expect((await member.call("GET", `/api/runs/${runId}/events`, undefined, headers)).body.code).toBe("not_found");
  }
});

test("F81: without a single notification events still come within two seconds", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const s = await openRun(runId);
  await s.until(() => s.seqs().length === 1);
  const fence = await claim(api, runId);
  await stream(api, api.workspaceId, runId, fence, ["quiet"]);
  await s.until(() => s.seqs().length === 4, 2_000);
  s.close();
});

test("F81: events go on after the subscription's connection was killed", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const s = await openRun(runId);
  await s.until(() => s.seqs().length === 1);
  const killed = await api.admin
    .sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'aiw-listen%' and datname = current_database()`;
  expect(killed.length).toBeGreaterThan(0);
  const fence = await claim(api, runId);
  await stream(api, api.workspaceId, runId, fence, ["after"]);
  await hint(runId);
  await s.until(() => s.seqs().length === 4);
  s.close();
});

test.for([
  ["the session is ended", async (client: Client) => void (await client.call("POST", "/api/logout"))],
  ["the user is disabled", async () => identity.disableUser(api.system, api.ids.leaver)],
  [
    "the member is removed",
    async () => void (await workspaces.removeMember(await api.member("owner"), api.ids.approver)),
  ],
] as const)(
  "N6: when %s, open streams close within 5 s and nothing written afterwards is sent",
  async ([why, revoke]) => {
    const role = why.includes("disabled") ? "leaver" : why.includes("removed") ? "approver" : "member";
    const client = await api.signIn(role);
    const { runId } = await addRun(api, api.workspaceId, "member");
    const fence = await claim(api, runId);
    const s = await openRun(runId, client);
    const inbox = why.includes("removed") ? undefined : await open("/api/inbox/events", client);
    await s.until(() => s.seqs().length === 3);
    await revoke(client);
    const began = performance.now();
    await stream(api, api.workspaceId, runId, fence, ["not for you"]);
    await hint(runId);
    await s.ended;
    await inbox?.ended;
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(s.seqs()).toEqual([1, 2, 3]);
    expect(s.frames.some((frame) => frame.raw.includes("not for you"))).toBe(false);
  },
);

test("N6: a quiet stream of a person who lost the right closes within 5 s too", async () => {
  const client = await api.signIn("owner");
  const { runId } = await addRun(api, api.workspaceId, "member");
  const s = await openRun(runId, client);
  await s.until(() => s.seqs().length === 1);
  const began = performance.now();
  await client.call("POST", "/api/logout");
  await s.ended;
  expect(performance.now() - began).toBeLessThan(5_000);
});

test("F84: clients that go away leave nothing behind, and a stream that lives says so", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const before = api.deps.hub.count();
  const streams = await Promise.all(upTo(20).map(() => openRun(runId)));
  const [one] = streams;
  await one?.until(() => one.frames.some((frame) => frame.raw.startsWith(": ping")));
  expect(api.deps.hub.count()).toBe(before + 20);
  for (const s of streams) s.close();
  await expect.poll(() => api.deps.hub.count(), { timeout: 5_000 }).toBe(before);
});

test("F80: streams hold no database connection", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const streams = await Promise.all(upTo(60).map(() => openRun(runId)));
  await Promise.all(streams.map((s) => s.until(() => s.seqs().length === 1)));
  const [row] = await api.admin
    .sql`select count(*) as n from pg_stat_activity where datname = current_database() and (application_name = 'test-api' or application_name like 'aiw-listen%')`;
  expect(Number(row?.["n"])).toBeLessThanOrEqual(11);
  for (const s of streams) s.close();
});

test("F85: a client that does not read is dropped, the others are not held up, and it can resume", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const fence = await claim(api, runId);
  const slow = await openRun(runId);
  const quick = await openRun(runId);
  await slow.until(() => slow.seqs().length === 3);
  slow.pause();
  const before = api.deps.hub.count();
  const chunk = "x".repeat(60_000);
  for (let n = 0; n < 150; n += 1) {
    await stream(api, api.workspaceId, runId, fence, [chunk]);
    await hint(runId);
    if (api.deps.hub.count() < before) break;
  }
  await expect.poll(() => api.deps.hub.count(), { timeout: 10_000 }).toBe(before - 1);
  const last = await lastSeq(runId);
  await quick.until(() => quick.seqs().at(-1) === last);
  expect(quick.seqs()).toEqual(upTo(last));
  slow.close();
  quick.close();
});

test("RUN-11: the inbox tells members what to fetch anew, global approvers of their level, and nobody else", async () => {
  const owner = await api.signIn("owner");
  const [mine, other, global] = await Promise.all([
    open("/api/inbox/events", owner),
    open("/api/inbox/events", await api.signIn("outsider")),
    open("/api/inbox/events", await api.signIn("global")),
  ]);
  const hints = (s: Open): { type: string; workspaceId: string | null }[] =>
    s.frames.flatMap((frame) => (frame.data?.startsWith('{"type"') === true ? [JSON.parse(frame.data)] : []));
  const { runId } = await addWaiting(api, api.workspaceId, "member");
  await hint(runId);
  await mine.until(() => new Set(hints(mine).map((one) => one.type)).size === 3);
  expect(new Set(hints(mine).map((one) => one.workspaceId))).toEqual(new Set([api.workspaceId]));
  const level = await addWaiting(api, api.otherWorkspaceId, "outsider", null, "global_approver");
  await hint(level.runId);
  await global.until(() => hints(global).length > 0);
  expect(hints(global)).toContainEqual({ type: "approvals", workspaceId: null });
  await other.until(() => hints(other).length > 0);
  expect(hints(other).every((one) => one.workspaceId === api.otherWorkspaceId)).toBe(true);
  expect(hints(mine).some((one) => one.workspaceId === api.otherWorkspaceId)).toBe(false);
  for (const s of [mine, other, global]) s.close();
});

test("RUN-11: streaming text makes nobody reload lists", async () => {
  const owner = await api.signIn("owner");
  const inbox = await open("/api/inbox/events", owner);
  const count = (): number => inbox.frames.filter((frame) => frame.data?.startsWith('{"type":"runs"') === true).length;
  const { runId } = await addRun(api, api.workspaceId, "member");
  const fence = await claim(api, runId);
  await hint(runId);
  await inbox.until(() => count() === 1);
  for (let n = 0; n < 5; n += 1) {
    await stream(api, api.workspaceId, runId, fence, ["text"]);
    await hint(runId);
    await inbox.until(() => inbox.frames.length > 0);
  }
  await commit(api, api.workspaceId, runId, fence, finished("done"));
  await hint(runId);
  await inbox.until(() => count() === 2);
  inbox.close();
});

test("RUN-11: the same events as a list, with whether there are more", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const fence = await claim(api, runId);
  await stream(api, api.workspaceId, runId, fence, ["a"]);
  const all = await member.call("GET", `/api/runs/${runId}/event-list`);
  expect(all.body.items.map((event: { seq: number }) => event.seq)).toEqual([1, 2, 3, 4]);
  expect(all.body.items[3]).toMatchObject({ type: "message.delta", text: "a" });
  expect(all.body.done).toBe(true);
  expect((await member.call("GET", `/api/runs/${runId}/event-list?after=3`)).body.items).toHaveLength(1);
});

test("OPS-8: closing the server ends open streams and returns although clients are connected", async () => {
  const own = await startApi();
  const second = await serveApi(own.deps, { port: 0, host: "127.0.0.1" });
  const { runId } = await addRun(own, own.workspaceId, "member");
  const client = await own.signIn("member");
  const response = await fetch(`${second.url}/api/runs/${runId}/events`, { headers: { cookie: client.cookie } });
  const began = performance.now();
  const reading = response.text();
  await second.close();
  expect(performance.now() - began).toBeLessThan(4_000);
  expect(await reading).toContain("retry: 2000");
  await own.stop();
});
