import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EnvError, envNames, loadEnv, unknownVariables } from "./env.ts";

const key = Buffer.alloc(32, 7).toString("base64");
const production = { AIW_ENV: "production", AIW_PUBLIC_URL: "https://ai.example.com/", AIW_SECRET_KEY: key };

function problemsOf(source: Record<string, string>): readonly string[] {
  try {
    loadEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error.problems;
    throw error;
  }
  return [];
}

describe("OPS-6 environment", () => {
  test("OPS-6 an empty environment is usable in development and has the documented defaults", () => {
    const env = loadEnv({ AIW_PORT: " ", AIW_MODEL: "" });
    const defaults = documented().filter(([, value]) => value !== "");
    for (const [name, value] of defaults) expect([name, String(Reflect.get(env, name))]).toEqual([name, value]);
    const unset = documented().filter(([, value]) => value === "");
    for (const [name] of unset) expect([undefined, ""]).toContain(Reflect.get(env, name)?.toString());
  });

  test("OPS-6 documentation and .env.example list exactly the variables of the schema, in its order", () => {
    const example = readRoot(".env.example")
      .split("\n")
      .flatMap((line) => /^([A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? []);
    const pairs = example.flatMap((name, index) => (index % 2 === 0 ? [[name, example[index + 1] ?? ""]] : []));
    expect(documented().map(([name]) => name)).toEqual(envNames);
    expect(pairs).toEqual(documented());
  });

  test("OPS-6 all problems are listed at once, with what to do and without the values", () => {
    const problems = problemsOf({
      AIW_PORT: "abc",
      AIW_LEASE_S: "-1",
      AIW_SECRET_KEY: `${key},hunter2hunter2`,
      AIW_DATABASE_API_URL: "mysql://u:hunter2@h/d",
    });
    expect(problems).toHaveLength(4);
    expect(problems.join("\n")).toContain(
      "AIW_SECRET_KEY: key 2 of 2 is not 32 bytes in base64; make a key with: openssl rand -base64 32",
    );
    expect(problems.join("\n")).not.toContain("hunter2");
  });

  test("OPS-6 variables a process needs are asked for by name", () => {
    expect(() => loadEnv({}, ["AIW_DATABASE_API_URL", "AIW_PORT"])).toThrow(/AIW_DATABASE_API_URL: is needed here/);
    const env = loadEnv({ AIW_DATABASE_API_URL: "postgres://a:b@h:5432/d" }, ["AIW_DATABASE_API_URL"]);
    const url: string = env.AIW_DATABASE_API_URL;
    expect(url).toContain("5432");
  });

  test("OPS-6 typing errors in names are found", () => {
    expect(unknownVariables({ AIW_LESE_S: "1", AIW_LEASE_S: "30", PATH: "x" })).toEqual(["AIW_LESE_S"]);
  });

  test.each([
    [{ AIW_HEARTBEAT_S: "20" }, /AIW_HEARTBEAT_S: must be at most half of AIW_LEASE_S/],
    [{ AIW_MODEL_IDLE_S: "601" }, /AIW_MODEL_IDLE_S: must not be longer/],
    [{ AIW_MODEL_TURN_S: "780" }, /AIW_MODEL_TURN_S: must be shorter than AIW_STEP_S/],
    [{ AIW_TOOL_CALL_S: "800" }, /AIW_TOOL_CALL_S: must be shorter/],
    [{ AIW_PUSH_S: "800" }, /AIW_PUSH_S: must be shorter/],
    [{ AIW_STEP_S: "900" }, /AIW_STEP_S: must be shorter than AIW_FUNCTION_S/],
    [{ AIW_QUEUE_VISIBILITY_S: "899" }, /AIW_QUEUE_VISIBILITY_S: must be at least AIW_FUNCTION_S/],
    [{ AIW_MAX_TOOL_ROUNDS: "101" }, /AIW_MAX_TOOL_ROUNDS: must not be above/],
    [{ AIW_SESSION_IDLE_S: "700000" }, /AIW_SESSION_IDLE_S: must not be longer/],
    [{ AIW_APPROVAL_TTL_S: "29" }, /AIW_APPROVAL_TTL_S: must be a whole number from 30 to 604800/],
    [
      { AIW_GIT_ALLOWED_HOSTS: "git.example.com,https://x.example" },
      /AIW_GIT_ALLOWED_HOSTS: must be host or host:port/,
    ],
  ])("RUN-23 %o is refused with a sentence", (source, sentence) => {
    expect(problemsOf(source)).toEqual([expect.stringMatching(sentence)]);
  });

  test("RUN-23 small times that fit each other are accepted, fractions too", () => {
    const env = loadEnv({
      AIW_LEASE_S: "1",
      AIW_HEARTBEAT_S: "0.25",
      AIW_GIT_ALLOWED_HOSTS: "git.example.com, [::1]:8080,127.0.0.1:3001",
    });
    expect([env.AIW_HEARTBEAT_S, env.AIW_GIT_ALLOWED_HOSTS]).toEqual([
      0.25,
      ["git.example.com", "[::1]:8080", "127.0.0.1:3001"],
    ]);
  });
});

describe("N87 production", () => {
  test("N87 a plain production environment starts and the public address loses its slash", () => {
    expect(loadEnv({ ...production, AIW_ALLOW_LOCAL: "false", AIW_DEMO_PASSWORD: "" }).AIW_PUBLIC_URL).toBe(
      "https://ai.example.com",
    );
  });

  test.each([
    ["AWS_ENDPOINT_URL", "http://localhost:4566"],
    ["AWS_ENDPOINT_URL_S3", "http://localhost:4566"],
    ["AIW_SQS_ENDPOINT", "http://localhost:4566"],
    ["AIW_ALLOW_LOCAL", "1"],
    ["AIW_MCP_ALLOW_LOCAL", "true"],
    ["AIW_DEMO_PASSWORD", "long enough"],
    ["AIW_FAULTS", "{}"],
    ["AIW_TEST_CLOCK", "1"],
  ])("N87 %s refuses to start in production", (name, value) => {
    expect(problemsOf({ ...production, [name]: value })).toEqual([
      `${name}: is for development and tests; remove it in production`,
    ]);
    expect(problemsOf({ ...production, AIW_ENV: "test", [name]: value })).toEqual([]);
  });

  test("N87 production needs an https address, a key and a real model", () => {
    expect(problemsOf({ AIW_ENV: "production", AIW_MODEL: "demo-grammar" })).toHaveLength(3);
    expect(problemsOf({ ...production, AIW_PUBLIC_URL: "http://ai.example.com" })).toHaveLength(1);
  });
});

function readRoot(file: string): string {
  return readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
}

/** Name and default of each row of the tables. */
function documented(): (readonly [string, string])[] {
  const rows = readRoot("docs/configuration.md")
    .split("\n")
    .map((line) => /^\| `([A-Z_]+)` +\| (?:`([^`]*)`)? *\|/.exec(line));
  return rows.flatMap((row) => (row?.[1] === undefined ? [] : [[row[1], row[2] ?? ""] as const]));
}
