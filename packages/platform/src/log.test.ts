import { describe, expect, test } from "vitest";
import { createLog, registerSecret } from "./log.ts";
import type { LogLevel } from "./log.ts";

function capture(level: LogLevel = "debug") {
  const lines: string[] = [];
  return { lines, log: createLog({ level, write: (line) => void lines.push(line) }) };
}

function field(line: string | undefined, name: string): unknown {
  return JSON.parse(line ?? "{}")[name];
}

describe("SEC-9 log", () => {
  test("SEC-9 a line is one JSON object with the ids of its context", () => {
    const { lines, log } = capture("info");
    log.debug("hidden");
    log.child({ requestId: "r1" }).child({ runId: "run1", workspaceId: "w1" }).info("claimed", { attempt: 2 });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      message: "claimed",
      requestId: "r1",
      runId: "run1",
      workspaceId: "w1",
      attempt: 2,
    });
  });

  test("SEC-9 fields with secret names are hidden at any depth, counters are not", () => {
    const { lines, log } = capture();
    log.info("x", {
      headers: { Authorization: "Bearer abc", "set-cookie": ["a=b"] },
      user: { newPassword: "p" },
      apiKey: "k",
      access_token: "t",
      totalTokens: 12,
      tokens: 5,
    });
    expect(lines[0]).not.toMatch(/abc|a=b|"p"|"k"|"t"/);
    expect(field(lines[0], "totalTokens")).toBe(12);
    expect(field(lines[0], "tokens")).toBe(5);
  });

  test("SEC-9 a registered secret is hidden in every form and place", () => {
    const secret = 's3cr3t/+ä"Wert~9';
    registerSecret(secret);
    const { lines, log } = capture();
    const forms = [secret, encodeURIComponent(secret), JSON.stringify({ a: secret })];
    for (const before of ["", "u", "us", "user:"])
      forms.push(
        Buffer.from(`${before}${secret}!`).toString("base64"),
        Buffer.from(before + secret).toString("base64url"),
      );
    for (const form of forms)
      log.error(`at ${form}`, {
        [`k ${form}`]: form,
        list: [form],
        error: new Error(form, { cause: new Error(form) }),
      });
    const core = Buffer.from(secret).toString("base64").slice(4, 16);
    for (const line of lines) {
      expect(line).not.toContain("Wert");
      expect(line).not.toContain(core);
      expect(line).not.toContain(encodeURIComponent('ä"Wert'));
      expect(field(line, "message")).toContain("[REDACTED]");
    }
  });

  test("SEC-9 passwords in addresses and authorization values in free text are hidden", () => {
    const { lines, log } = capture();
    log.warn("postgres://app:hunter2@db/x and Authorization: Bearer abcdefgh and Basic dXNlcjpwYXNz", {
      url: new URL("https://u:hunter2@h/"),
    });
    expect(lines[0]).not.toMatch(/hunter2|abcdefgh|dXNlcjpwYXNz/);
  });

  test("SEC-9 a value cannot forge a line, a field or steer a terminal", () => {
    const { lines, log } = capture();
    log.info('a\n{"level":"error"}\u001b[31m\u009b31m\u202e\u2028', { level: "error", message: "forged", at: "never" });
    // oxlint-disable-next-line no-control-regex
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
    expect(field(lines[0], "level")).toBe("info");
    expect(field(lines[0], "message")).toContain("\u001b[31m");
  });

  test("SEC-9 errors keep code and cause; statement parameters are left out", () => {
    const { lines, log } = capture();
    const wrapped = Object.assign(new Error("Failed query: insert\nparams: plaintext"), {
      query: "insert",
      params: ["plaintext"],
      cause: Object.assign(new Error("duplicate key"), { code: "23505" }),
    });
    log.error("x", { error: wrapped });
    expect(lines[0]).not.toContain("plaintext");
    expect(field(lines[0], "error")).toMatchObject({ cause: { message: "duplicate key", code: "23505" } });
  });

  test("SEC-9 cycles, depth, size and odd values never make logging fail", () => {
    const { lines, log } = capture();
    const cycle: Record<string, unknown> = {
      big: 10n,
      fn: () => 1,
      when: new Date(Number.NaN),
      text: "x".repeat(200_000),
      bytes: new Uint8Array(3),
      ["__proto__x"]: 1,
    };
    cycle["self"] = cycle;
    log.info("odd", cycle);
    log.info("throws", {
      get bad(): never {
        throw new Error("no");
      },
    });
    expect(lines).toHaveLength(2);
    expect((lines[0] ?? "").length).toBeLessThan(20_000);
  });
});
