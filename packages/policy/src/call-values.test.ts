import type { JsonObject } from "@aiw/contract/tools";
import { expect, test } from "vitest";
import { actionOfCall, actionsOf, callValues, hasActionlessCalls } from "./call-values.ts";
import { evaluate, parseCondition, RESERVED_CONTEXT_NAMES } from "./condition.ts";

const caller = {
  userId: "u1",
  role: "approver",
  isGlobalApprover: true,
  teamId: "t1",
  workspaceId: "w1",
  runId: "r1",
};
const outcome = (text: string, args: JsonObject, as = caller): string => {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(parsed.errors[0]?.hint);
  return evaluate(parsed.ast, callValues(args, as)).outcome;
};

test.each([
  ['context.user_id == "u1"', "true"],
  ['"approver" in context.roles', "true"],
  ['"global_approver" in context.roles', "true"],
  ['"admin" in context.roles', "false"],
  ["context.is_admin", "false"],
  ['context.team == "t1" and context.workspace == "w1" and context.run == "r1"', "true"],
  ["context.isAdmin", "error"],
])("POL-7 the context of a call is what the server knows: %s is %s", (text, expected) => {
  expect(outcome(text, {})).toBe(expected);
});

test("POL-7 every name the server sets is reserved, and an argument cannot stand in for one", () => {
  expect(
    Object.keys(callValues({}, caller).context).filter((n) => !RESERVED_CONTEXT_NAMES.some((r) => r === n)),
  ).toEqual([]);
  expect(outcome("context.is_admin", { context: { is_admin: true }, is_admin: true })).toBe("false");
  expect(outcome("context.is_admin", {}, { ...caller, role: "admin" })).toBe("true");
});

const schema = (action: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties: { action },
  required,
});
const listed = { group: "mail", parameters: schema({ type: "string", enum: ["send", "read"] }) };

test("POL-3 the action of a call is its `action` argument, where the tool lists its actions", () => {
  const none = (): boolean => false;
  expect(actionOfCall(listed, { action: "send" }, none)).toBe("send");
  expect(actionOfCall(listed, { action: "SEND" }, none)).toBeNull();
  expect(actionOfCall(listed, { action: 1 }, none)).toBeNull();
  expect(actionOfCall(listed, {}, none)).toBeNull();
  expect(actionOfCall({ group: "mail", parameters: schema({ type: "string" }) }, { action: "send" }, none)).toBeNull();
  expect(actionsOf({ properties: null })).toEqual([]);
});

test("POL-3 an argument never makes the rules of another tool apply", () => {
  expect(actionOfCall(listed, { action: "read" }, (id) => id === "mail.read")).toBeNull();
});

test("POL-9 a tool takes calls without an action unless it demands one of a list", () => {
  expect(hasActionlessCalls({ type: "object" })).toBe(true);
  expect(hasActionlessCalls(schema({ enum: ["a"] }))).toBe(true);
  expect(hasActionlessCalls(schema({ enum: ["a"] }, ["action"]))).toBe(false);
});
