import type { AdminTool } from "@aiw/contract/views";
import { expect, test } from "vitest";
import { argumentsOf, draftOf, isEdited, probeTools, readSettings } from "./tool-settings-model.ts";

const tool = (name: string, more: Partial<AdminTool> = {}): AdminTool => ({
  id: `shop.${name}`,
  wireName: `shop__${name}`,
  description: "",
  suggestedRiskClass: "read",
  riskClass: null,
  decision: null,
  level: "workspace_admin",
  fourEyes: false,
  definition: JSON.stringify({ name, inputSchema: { type: "object", properties: { id: {}, key: {} } } }),
  definitionHash: "a".repeat(64),
  classifiedBy: null,
  classifiedAt: null,
  version: 1,
  server: "shop",
  settings: { serverArguments: {} },
  findings: [],
  previousDefinition: null,
  missingAt: null,
  ...more,
});

const stored = {
  serverArguments: { tenant: { $context: "workspaceId" } },
  idempotencyArgument: "key",
  probe: { tool: "find", arguments: { key: { $key: true } }, path: "found", equals: true, definitionHash: "h" },
};

test("MCP-2: what is stored comes out of the form as it went in, without the hash that the platform sets", () => {
  const draft = draftOf(stored);
  const { definitionHash: _, ...probe } = stored.probe;
  expect(readSettings(draft)).toEqual({ ok: true, settings: { ...stored, probe } });
  expect(isEdited(stored, draft)).toBe(false);
  expect(isEdited(stored, { ...draft, idempotencyArgument: "" })).toBe(true);
});

test("MCP-2: what is no JSON, no object, or missing is named before anything is sent", () => {
  const draft = { ...draftOf(null), probing: true };
  expect(readSettings({ ...draft, serverArguments: "{", probeArguments: "[]", probeEquals: "yes" })).toEqual({
    ok: false,
    faults: {
      serverArguments: "json",
      probeTool: "required",
      probeArguments: "object",
      probePath: "required",
      probeEquals: "json",
    },
  });
  expect(readSettings({ ...draftOf(null), probePath: "", probeArguments: "nonsense" })).toEqual({
    ok: true,
    settings: { serverArguments: {} },
  });
});

test("N46: only reading tools of the same server that are offered can be asked", () => {
  const all = [
    tool("write"),
    tool("find", { riskClass: "read" }),
    tool("gone", { riskClass: "read", missingAt: "2026-11-20T10:00:00.000Z" }),
    tool("other", { riskClass: "read", server: "depot" }),
    tool("change", { riskClass: "write_external" }),
  ];
  expect(probeTools(tool("write"), all)).toEqual(["find"]);
  expect(argumentsOf(tool("write"))).toEqual(["id", "key"]);
  expect(argumentsOf(tool("broken", { definition: "nonsense" }))).toEqual([]);
});
