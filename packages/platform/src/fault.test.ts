import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { FaultError, fp, onPoint, setFaultPlan, wakeHung } from "./fault.ts";

afterEach(() => setFaultPlan(undefined));

const module = fileURLToPath(new URL("./fault.ts", import.meta.url));
const script = `import { fp } from ${JSON.stringify(module)};
await fp("claim.tx", async () => console.log("ran 1"));
await fp("claim.tx", async () => console.log("ran 2"));
console.log("end");`;

function runChild(env: Record<string, string>) {
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
}

describe("stop points (house rule 9)", () => {
  test("without a plan a point only runs its work", async () => {
    expect(await fp("a", async () => 7)).toBe(7);
  });

  test("points are listed in the order they are passed", async () => {
    const seen: string[] = [];
    const stop = onPoint((point) => void seen.push(point));
    await fp("a", () => fp("b", async () => undefined));
    stop();
    await fp("c", async () => undefined);
    expect(seen).toEqual(["a:before", "b:before", "b:after", "a:after"]);
  });

  test("a throw happens at the nth passing, once, before or after the work", async () => {
    setFaultPlan({
      rules: [
        { at: "w:before", nth: 2, act: "throw" },
        { at: "v:after", act: "throw" },
      ],
    });
    let ran = 0;
    const work = async () => void (ran += 1);
    await fp("w", work);
    await expect(fp("w", work)).rejects.toBeInstanceOf(FaultError);
    await fp("w", work);
    await expect(fp("v", work)).rejects.toBeInstanceOf(FaultError);
    expect(ran).toBe(3);
  });

  test("what hangs goes on when it is woken, and not before", async () => {
    setFaultPlan({ rules: [{ at: "h:before", act: "hang" }] });
    let ran = false;
    const work = fp("h", async () => void (ran = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toBe(false);
    wakeHung();
    await work;
    expect(ran).toBe(true);
  });

  test("a failing work passes its own error on and does not reach the point after", async () => {
    const seen: string[] = [];
    const stop = onPoint((point) => void seen.push(point));
    await expect(fp("x", () => Promise.reject(new TypeError("mine")))).rejects.toThrow("mine");
    stop();
    expect(seen).toEqual(["x:before"]);
  });

  test("exit kills the process where it stands", () => {
    const child = runChild({
      AIW_ENV: "test",
      AIW_FAULTS: JSON.stringify({ rules: [{ at: "claim.tx:after", nth: 2, act: "exit" }] }),
    });
    expect([child.signal, child.stdout]).toEqual(["SIGKILL", "ran 1\nran 2\n"]);
  });

  test("N87 a plan in the environment has no effect in production", () => {
    const child = runChild({
      AIW_ENV: "production",
      AIW_FAULTS: JSON.stringify({ rules: [{ at: "claim.tx:before", act: "exit" }] }),
    });
    expect([child.status, child.stdout]).toEqual([0, "ran 1\nran 2\nend\n"]);
  });

  test("a plan with an unknown act is refused", () => {
    expect(() => setFaultPlan(JSON.parse('{"rules":[{"at":"a:before","act":"explode"}]}'))).toThrow();
  });
});
