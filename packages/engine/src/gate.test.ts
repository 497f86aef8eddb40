import type { ExecutionFacts } from "@aiw/core/approvals";
import { describe, expect, test } from "vitest";
import { authoriseClaimed, executedHash, isIntact } from "./gate.ts";

const WORKSPACE = "0191a000-0000-7000-8000-000000000001";
const RUN = "0191a000-0000-7000-8000-000000000002";

const request: ExecutionFacts = {
  id: "0191a000-0000-7000-8000-000000000003",
  toolId: "ledger.enter",
  toolCallId: "0191a000-0000-7000-8000-000000000004",
  runId: RUN,
  sourceId: "0191a000-0000-7000-8000-000000000005",
  snapshot: "",
  snapshotHash: "",
  argsText: '{"amount":12.5}',
  form: '{"arguments":"{}"}',
  formVersion: 1,
  preview: "{}",
  preconditions: '{"base":"4e1c9a7"}',
  definitionHash: "d".repeat(64),
  policyVersion: 3,
  level: "workspace_admin",
  fourEyes: false,
  callId: "call_1",
  requesterId: "0191a000-0000-7000-8000-000000000006",
  allowedByPolicy: false,
  lapsed: false,
  snapshotIntact: true,
  requesterMay: true,
  deciderMay: true,
  sourceConnected: true,
  requester: { role: "member", isGlobalApprover: false },
  teamId: "0191a000-0000-7000-8000-000000000007",
  stopped: false,
  writePolicy: "risk_based",
  chatMode: "work",
  labels: { environment: null, sensitivity: null, trust: null },
  combined: false,
  tool: null,
  policies: [],
};
const handed = (change: Partial<ExecutionFacts>): string =>
  executedHash(request, authoriseClaimed({ ...request, ...change }, "key"), WORKSPACE, RUN);
const approved = handed({});

describe("the executed hash is made of what was handed to the tool (APR-21)", () => {
  test("the same call gives the hash that was decided on", () => {
    expect(isIntact({ ...request, snapshotHash: approved }, WORKSPACE, RUN)).toBe(true);
  });
  test.each(
    Object.entries({
      argsText: '{"amount":12.50}',
      form: '{"arguments":"{} "}',
      formVersion: 2,
      toolId: "ledger.enter_all",
      sourceId: null,
    } satisfies Partial<ExecutionFacts>),
  )("another %s that is handed over than was approved shows in it", (part, value) => {
    expect(handed({ [part]: value })).not.toBe(approved);
  });
});
