import type { AdminTool } from "@aiw/contract/views";
import { expect, test } from "vitest";
import { changedFields, classificationOf, grouped } from "./classification.ts";

const tool = (id: string, riskClass: AdminTool["riskClass"]): AdminTool => ({
  id,
  wireName: id.replace(".", "_"),
  description: "",
  suggestedRiskClass: "read",
  riskClass,
  decision: null,
  level: "workspace_admin",
  fourEyes: false,
  definition: "{}",
  definitionHash: "a".repeat(64),
  classifiedBy: null,
  classifiedAt: null,
  version: 1,
  server: null,
  settings: null,
  findings: [],
  previousDefinition: null,
  missingAt: null,
});

test("POL-4: unclassified tools stand first in their group", () => {
  const groups = grouped(
    [tool("mail.send", "write_external"), tool("git.b", "read"), tool("git.a", "read"), tool("git.z", null)],
    "all",
  );
  expect(groups.map(([group, items]) => [group, items.map((entry) => entry.id)])).toEqual([
    ["git", ["git.z", "git.a", "git.b"]],
    ["mail", ["mail.send"]],
  ]);
});

test("filters show what is unclassified, or what writes", () => {
  const tools = [tool("git.a", "read"), tool("git.z", null), tool("mail.send", "write_external")];
  expect(grouped(tools, "unclassified").flatMap(([, items]) => items.map((entry) => entry.id))).toEqual(["git.z"]);
  expect(grouped(tools, "writing").flatMap(([, items]) => items.map((entry) => entry.id))).toEqual(["mail.send"]);
});

test("only what really changes is named before it is saved", () => {
  const before = classificationOf(tool("git.a", "read"));
  expect(changedFields(before, before)).toEqual([]);
  expect(changedFields(before, { ...before, decision: "deny", fourEyes: true })).toEqual(["decision", "fourEyes"]);
});
