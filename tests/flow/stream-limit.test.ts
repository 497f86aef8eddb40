import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, type Client, startApi } from "./http-fixture.ts";
import { addRun, claim, commit, stream } from "./http-records.ts";

let api: Api;
let member: Client;
beforeAll(async () => {
  api = await startApi({ hub: { pollMs: 50, maxStreamMs: 600 } });
  member = await api.signIn("member");
});
afterAll(() => api.stop());

/** Reads a stream to its end, as a browser does that comes back with the last id it saw. */
const readToEnd = async (runId: string, after: string | undefined): Promise<{ ids: number[]; ms: number }> => {
  const began = performance.now();
  const headers = { cookie: member.cookie, ...(after === undefined ? {} : { "last-event-id": after }) };
  const answer = await api.request(new Request(`http://localhost/api/runs/${runId}/events`, { headers }));
  const text = answer.status === 204 ? "" : await answer.text();
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  return { ids, ms: performance.now() - began };
};

test("OPS-4 OPS-11 a stream ends by itself before the platform cuts it, in the middle of a run, and the next one goes on without a gap", async () => {
  const { runId } = await addRun(api, api.workspaceId, "member");
  const fence = await claim(api, runId);
  const writing = (async () => {
    for (let n = 0; n < 30; n += 1) {
      await stream(api, api.workspaceId, runId, fence, [`part ${n}`]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await commit(api, api.workspaceId, runId, fence, { status: "completed", endReason: "answered" });
  })();
  const seen: number[] = [];
  let streams = 0;
  for (let over = false; !over; streams += 1) {
    const { ids, ms } = await readToEnd(runId, seen.length === 0 ? undefined : String(seen.at(-1)));
    seen.push(...ids);
    expect(ms).toBeLessThan(5_000);
    const [row] = await api.admin.sql`select status, last_seq from runs where id = ${runId}`;
    over = row?.["status"] === "completed" && seen.at(-1) === Number(row["last_seq"]);
  }
  await writing;
  expect(streams).toBeGreaterThan(1);
  expect(seen).toEqual(seen.map((_, index) => index + 1));
});
