import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { eachMessage } from "./messages.ts";

test("F34 RUN-20 of several messages only those fail that cannot be read or worked on, each line names message and run, none its body", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "error", write: (line) => void lines.push(line) });
  const runId = "0191a000-0000-7000-8000-000000000001";
  const bodies = ['{"n":1}', "no JSON, canary-17", `{"n":3,"runId":"${runId}","text":"canary-17"}`, '{"n":4}'];
  const done: unknown[] = [];
  const answer = await eachMessage(
    bodies.map((body, n) => ({ messageId: `m${n + 1}`, body })),
    log,
    async (body) => {
      if ((body as { n: number }).n === 3) throw new Error("no database");
      done.push(body);
    },
  );
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: "m2" }, { itemIdentifier: "m3" }] });
  expect(done).toEqual([{ n: 1 }, { n: 4 }]);
  expect(lines.map((line) => (JSON.parse(line) as Record<string, unknown>)["requestId"])).toEqual(["m2", "m3"]);
  expect(lines[1]).toContain(runId);
  expect(lines.join("\n")).not.toContain("canary-17");
});
