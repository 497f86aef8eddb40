import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const at = (file: string) => JSON.stringify(fileURLToPath(new URL(file, import.meta.url)));

function runChild(onFatal: string, body: string) {
  const script = `import { guardProcess } from ${at("./guard.ts")};
import { createLog } from ${at("./log.ts")};
guardProcess(createLog({ level: "error", write: (line) => console.log(line) }), ${onFatal});
setInterval(() => undefined, 1000);
${body}`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 20_000 });
}

describe("M2 an unexpected error ends the process in order", () => {
  test.each([
    ["an exception from a timer", "setImmediate(() => { throw new TypeError('socket is null'); });"],
    ["a rejection nobody awaits", "Promise.reject(new TypeError('socket is null'));"],
  ])("M2 %s is logged, running work is drained, the exit code is 1", (_, body) => {
    const child = runChild(
      "async () => { await new Promise((r) => setTimeout(r, 50)); console.log('drained'); }",
      body,
    );
    expect(child.status).toBe(1);
    expect(child.stdout).toMatch(/socket is null[^]*drained/);
  });

  test("M2 a drain that fails does not keep the process alive", () => {
    const child = runChild(
      "() => { throw new Error('cannot drain'); }",
      "setImmediate(() => { throw new Error('first'); });",
    );
    expect(child.status).toBe(1);
    expect(child.stdout).toMatch(/first[^]*cannot drain/);
  });

  test("M2 a drain that never ends is cut after 5 s", { timeout: 15_000 }, () => {
    const child = runChild("() => new Promise(() => undefined)", "setImmediate(() => { throw new Error('first'); });");
    expect(child.status).toBe(1);
  });
});
