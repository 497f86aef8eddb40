import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import { sortOut } from "./discover.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { readSchema, SchemaRefusal } from "./schema.ts";
import { readToolSettings } from "@aiw/contract/mcp";

const canonical = {
  text: (value: JsonValue) => JSON.stringify(value),
  hash: (value: JsonValue) => createHash("sha256").update(JSON.stringify(value)).digest("hex"),
};
const options = { canonical, limits: DEFAULT_LIMITS, taken: new Set<string>() };
const tool = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: "send",
  inputSchema: { type: "object", properties, ...more },
});

const deep = (depth: number): JsonValue => {
  let value: JsonValue = { type: "string" };
  for (let level = 0; level < depth; level += 1) value = { anyOf: [value] };
  return value;
};
const defs = (levels: number): JsonObject =>
  Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, level): [string, JsonValue] => {
      const next = { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, level === levels ? { type: "string" } : { anyOf: [next, next, next] }];
    }),
  );
const chain = (length: number): JsonObject =>
  Object.fromEntries(
    Array.from({ length: length + 1 }, (_, at): [string, JsonValue] => [
      `l${at}`,
      at === length ? {} : { $ref: `#/$defs/l${at + 1}` },
    ]),
  );

describe("N42 the worst schemas are left out in little time", () => {
  test.each<[string, JsonObject, string]>([
    ["ten megabytes of description", tool({ a: { description: "x".repeat(10_000_000) } }), "too_large"],
    [
      "a hundred thousand properties",
      tool(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, {}]))),
      "too_large",
    ],
    ["nested fifty thousand times", tool({ a: deep(50_000) }), "too_large"],
    ["nested thirty times", tool({ a: deep(30) }), "too_deep"],
    ["references that multiply", tool({ a: { $ref: "#/$defs/l0" } }, { $defs: defs(40) }), "too_complex"],
    ["a chain of a thousand references", tool({ a: { $ref: "#/$defs/l0" } }, { $defs: chain(1_000) }), "too_deep"],
    ["six thousand branches", tool({ a: { anyOf: Array.from({ length: 6_000 }, () => ({})) } }), "too_complex"],
  ])("%s", (_, wire, reason) => {
    sortOut("shop", [tool({})], options);
    // Its own work: on a busy machine others take their time between.
    const before = process.cpuUsage();
    const { skipped } = sortOut("shop", [wire], options);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(100);
    expect(skipped).toEqual([{ name: "send", reason }]);
  });
});

test("N42 references within the schema are kept, and the copy validates as the original", () => {
  const schema: JsonObject = {
    type: "object",
    properties: { a: { $ref: "#/$defs/id" }, b: { $ref: "#/properties/a" } },
    $defs: { id: { type: "string" } },
  };
  expect(readSchema(schema, DEFAULT_LIMITS).schema).toEqual(schema);
});

test.each([
  { $ref: 5 },
  { properties: [] },
  { allOf: [] },
  { anyOf: ["x"] },
  { items: "x" },
  { pattern: 5 },
  { $id: "https://x.example/a", properties: { a: { $id: "b" } } },
])("N42 keywords of a wrong kind are refused: %j", (schema) => {
  expect(() => readSchema(schema as JsonObject, DEFAULT_LIMITS)).toThrow(SchemaRefusal);
});

describe("what an admin declares", () => {
  const input: JsonObject = {
    type: "object",
    properties: { key: { type: "string" }, amount: { type: "number" }, any: true },
  };
  test.each([
    [{ serverArguments: { nothing: 1 } }, "serverArguments.nothing"],
    [{ serverArguments: { __proto__x: 1 } }, "serverArguments.__proto__x"],
    [{ serverArguments: { key: { $context: "secret" } } }, "serverArguments.key"],
    [{ idempotencyArgument: "amount" }, "idempotencyArgument"],
    [{ idempotencyArgument: "nothing" }, "idempotencyArgument"],
    [{ idempotencyArgument: "key", serverArguments: { key: "x" } }, "idempotencyArgument"],
    [{ unknown: 1 }, "settings"],
    [{ probe: { tool: "find" } }, "probe.arguments"],
  ])("MCP-2 %j is refused, with its field", (settings, field) => {
    expect(() => readToolSettings(settings, input)).toThrow(
      expect.objectContaining({ code: "bad_request", fields: { [field]: "invalid" } }),
    );
  });
  test("MCP-2 what fits the tool is taken", () => {
    const settings = { serverArguments: { amount: 5, any: { $context: "userId" } }, idempotencyArgument: "key" };
    expect(readToolSettings(settings, input)).toEqual(settings);
  });
});
