import { expect, test } from "vitest";
import { resolveReferences } from "./references.ts";

const store = new Map(Array.from({ length: 12 }, (_, n) => [`/aiw/production/${n}`, `value ${n}`]));
const asked: string[][] = [];
const read = async (names: readonly string[]) => {
  asked.push([...names]);
  return new Map(names.flatMap((name) => (store.has(name) ? [[name, store.get(name) ?? ""] as const] : [])));
};

test("OPS-4 a variable that names a parameter is given its value, at most ten are asked for at once, each once", async () => {
  const named = Object.fromEntries([...store.keys()].map((name, n) => [`AIW_${n}`, `ssm:${name}`]));
  asked.length = 0;
  const found = await resolveReferences({ ...named, AIW_AGAIN: "ssm:/aiw/production/3", AIW_PLAIN: "plain" }, read);
  expect(found["AIW_3"]).toBe("value 3");
  expect(found["AIW_AGAIN"]).toBe("value 3");
  expect(Object.keys(found)).toHaveLength(13);
  expect(found).not.toHaveProperty("AIW_PLAIN");
  expect(asked.map((names) => names.length)).toEqual([10, 2]);
});

test("OPS-4 without a reference nothing is asked", async () => {
  asked.length = 0;
  expect(await resolveReferences({ AIW_PLAIN: "plain", AIW_EMPTY: "", AIW_NOT_SET: undefined }, read)).toEqual({});
  expect(asked).toEqual([]);
});

test("OPS-6 a parameter that cannot be read is named with its variable, and no value is", async () => {
  const failed = resolveReferences({ AIW_SECRET_KEY: "ssm:/aiw/none", AIW_1: "ssm:/aiw/production/1" }, read);
  await expect(failed).rejects.toThrow(/AIW_SECRET_KEY \(\/aiw\/none\)/);
  await expect(failed).rejects.not.toThrow(/value 1/);
});
