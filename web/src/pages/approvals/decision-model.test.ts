import type { ApprovalDetail, ApprovalSummary } from "@aiw/contract/views";
import { describe, expect, test } from "vitest";
import { de } from "../../i18n/de/approvals.ts";
import { en } from "../../i18n/en/approvals.ts";
import {
  byUrgency,
  confirmationOf,
  differenceOf,
  factLink,
  isOnlyRejectable,
  isPast,
  neighbour,
  preconditionNote,
} from "./decision-model.ts";

const person = { id: "0190b0a0-0000-7000-8000-000000000001", name: "member", displayName: "Member" };
const base: ApprovalDetail = {
  id: "0190b0a0-0000-7000-8000-000000000010",
  number: 1,
  workspaceId: person.id,
  workspaceName: "w",
  runId: person.id,
  chatId: null,
  toolCallId: person.id,
  tool: "git.propose_change",
  title: "t",
  sourceName: "s",
  riskClass: "write_external",
  requester: person,
  level: "workspace_admin",
  fourEyes: false,
  stagedFromRunId: null,
  parentRunId: null,
  responseLabel: null,
  sensitive: false,
  message: null,
  status: "pending",
  invalidReason: null,
  stale: false,
  allowedByPolicy: false,
  createdAt: "2026-11-30T10:00:00Z",
  expiresAt: "2026-12-01T10:00:00Z",
  decidedBy: null,
  decidedAt: null,
  decisionReason: null,
  selfApproval: false,
  decidable: true,
  notDecidable: null,
  snapshotHash: "a".repeat(64),
  definitionHash: "b".repeat(64),
  policyVersion: 1,
  args: "{}",
  argsBytes: 2,
  argsHash: "c".repeat(64),
  masked: false,
  hiddenCharacters: 0,
  preview: { title: "t", kind: "arguments" },
  preconditions: {},
  explanation: { code: "class_write_external", params: {} },
  stopped: false,
  modelNote: null,
  executeBefore: null,
  attempt: 0,
  executedAt: null,
  executedHash: null,
  reconciled: false,
  settledBy: null,
  result: null,
  facts: null,
  predecessorId: null,
  successorId: null,
  siblings: [],
  votes: [],
  staleReason: null,
  drift: null,
  overtaken: null,
  checkedAt: null,
  preparing: false,
  predecessor: null,
  executingAt: null,
  effects: [],
  incident: false,
  mayRequestAgain: false,
};

test("APR-1: the page never says that nothing changed at the target: only what was recorded, or that something did change", () => {
  expect(preconditionNote(base)).toBe("preconditionsRecorded");
  expect(preconditionNote({ ...base, stale: true })).toBe("preconditionsStale");
  expect(`${de.preconditionsRecorded} ${en.preconditionsRecorded}`).not.toMatch(/unver|unchanged|erneut|again/i);
});

test("APR-19: a stale request can only be rejected, and only by who could decide it", () => {
  expect(isOnlyRejectable({ status: "pending", notDecidable: "stale" })).toBe(true);
  for (const notDecidable of [null, "decided", "expired", "four_eyes", "approver_missing"] as const)
    expect(isOnlyRejectable({ status: "pending", notDecidable })).toBe(false);
  expect(isOnlyRejectable({ status: "invalid", notDecidable: "stale" })).toBe(false);
});

describe("an open request never changes under the cursor (APR-15)", () => {
  test("nothing relevant changed: the page stays as it is", () => {
    expect(differenceOf(base, { ...base, siblings: [] })).toBeNull();
  });
  test("a decision elsewhere, another content and lost rights freeze the buttons", () => {
    expect(differenceOf(base, { ...base, status: "rejected" })).toBe("status");
    expect(differenceOf(base, { ...base, snapshotHash: "d".repeat(64) })).toBe("content");
    expect(differenceOf(base, { ...base, stale: true })).toBe("content");
    expect(differenceOf(base, { ...base, decidable: false, notDecidable: "approver_missing" })).toBe("rights");
    expect(differenceOf(base, { ...base, overtaken: "superseded" })).toBe("rights");
  });
  test("a decided request follows along", () => {
    expect(differenceOf({ ...base, status: "approved" }, { ...base, status: "executed" })).toBeNull();
  });
});

describe("deciding (APR-4, APR-15)", () => {
  test("the more harm, the more deliberate the confirmation", () => {
    expect(
      (["read", "write_internal", "write_external", "destructive", null] as const).map((riskClass) =>
        confirmationOf({ riskClass }),
      ),
    ).toEqual(["direct", "direct", "confirm", "type", "confirm"]);
  });
  test("a request past its time is closed by the server's clock", () => {
    expect(isPast(base, Date.parse("2026-12-01T10:00:00Z"))).toBe(true);
    expect(isPast(base, Date.parse("2026-12-01T09:59:59Z"))).toBe(false);
    expect(isPast({ status: "executed", expiresAt: base.expiresAt }, Date.parse("2027-01-01T00:00:00Z"))).toBe(false);
  });
  test("the list starts with what expires soonest, then with what can do most harm", () => {
    const item = (id: string, expiresAt: string | null, riskClass: ApprovalSummary["riskClass"]): ApprovalSummary => ({
      ...base,
      id,
      expiresAt,
      riskClass,
    });
    const sorted = byUrgency([
      item("late", "2026-12-03T00:00:00Z", "destructive"),
      item("never", null, "destructive"),
      item("soon-read", "2026-12-01T00:00:00Z", "read"),
      item("soon-write", "2026-12-01T00:00:00Z", "write_external"),
    ]);
    expect(sorted.map((entry) => entry.id)).toEqual(["soon-write", "soon-read", "late", "never"]);
  });
  test("j and k stop at the ends of the list", () => {
    expect(neighbour(["a", "b"], undefined, 1)).toBe("a");
    expect(neighbour(["a", "b"], "a", 1)).toBe("b");
    expect(neighbour(["a", "b"], "b", 1)).toBe("b");
    expect(neighbour(["a", "b"], undefined, -1)).toBe("b");
    expect(neighbour([], undefined, 1)).toBeUndefined();
  });
  test("only web addresses become links", () => {
    expect(factLink("https://git.example.org/x")).toBe("https://git.example.org/x");
    expect(factLink("javascript:alert(1)")).toBeNull();
    expect(factLink("https://")).toBeNull();
    expect(factLink(7)).toBeNull();
  });
});
