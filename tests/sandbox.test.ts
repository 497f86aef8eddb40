import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { createSandbox, SandboxError, type Sandbox } from "@aiw/platform/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = new URL("./kit/sandbox-program.ts", import.meta.url);
let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox({ program, directory: tmpdir(), maxBytes: 300_000_000 });
});
afterAll(() => sandbox.close());

const signal = new AbortController().signal;
const run = (act: string, wallMs = 10_000, given = signal): Promise<unknown> =>
  sandbox.run({ act }, { wallMs, signal: given });
const endOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "answered",
    (error: unknown) => (error instanceof SandboxError ? error.why : error),
  );

test.each([
  ["segfault", "died"],
  ["kill", "died"],
  ["throw", "died"],
  ["native memory", "memory"],
  ["heap", "memory"],
] as const)(
  "F13 M9: %s ends the process alone: whoever asked is told, and the next order is done",
  async (act, why) => {
    expect(await endOf(run(act))).toBe(why);
    expect(await run("answer")).toEqual({ pid: expect.any(Number) as number });
  },
);

test("M9 design 7: what nothing interrupts is killed when its time is over, beside others that go on", async () => {
  const began = performance.now();
  const [hung, fine] = await Promise.all([endOf(run("hang", 700)), run("answer")]);
  expect(hung).toBe("time");
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(fine).toMatchObject({ pid: expect.any(Number) as number });
});

test("design 7: whoever gives up ends the process", async () => {
  const controller = new AbortController();
  const work = endOf(run("hang", 10_000, controller.signal));
  setTimeout(() => controller.abort(), 200);
  expect(await work).toBe("aborted");
  expect(await endOf(run("answer", 1_000, controller.signal))).toBe("aborted");
});

test("design 7: a process is used once, knows nothing of its parent's environment, and can ask on its way", async () => {
  const [one, two] = [await run("answer"), await run("answer")] as [{ pid: number }, { pid: number }];
  expect(one.pid).not.toBe(two.pid);
  await expect.poll(() => existsSync(`/proc/${one.pid}/exe`)).toBe(false);
  const { environment, directory } = (await run("environment")) as { environment: object; directory: string };
  expect(Object.keys(environment).filter((name) => !name.startsWith("NODE_CHANNEL"))).toEqual([]);
  expect(realpathSync(directory)).toBe(realpathSync(tmpdir()));
  const asked = await sandbox.run({ act: "ask" }, { wallMs: 5_000, signal }, async (question) => ({ question }));
  expect(asked).toEqual({ asked: { question: { for: "a file" } } });
  const refused = sandbox.run({ act: "ask" }, { wallMs: 5_000, signal }, async () => {
    throw new Error("gone");
  });
  await expect(refused).rejects.toThrow("gone");
});
