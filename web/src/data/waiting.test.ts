import type { ApprovalSummary } from "@aiw/contract/views";
import { describe, expect, test } from "vitest";
import { partWaitsFor, waitingRequests, waitsFor } from "./waiting.ts";

const request = (id: string, part: Partial<ApprovalSummary>): ApprovalSummary =>
  ({
    id,
    runId: "run",
    parentRunId: null,
    stagedFromRunId: null,
    status: "pending",
    responseLabel: null,
    ...part,
  }) as ApprovalSummary;
const ids = (all: readonly ApprovalSummary[]): readonly string[] =>
  waitingRequests({ id: "run" }, all).map((a) => a.id);

describe("CHT-4 what the chat says it waits for", () => {
  test("RUN-18 requests of a run that was handed work are asked in the chat of its parent, in the same dock", () => {
    const own = request("own", {});
    const child = request("child", { runId: "child-run", parentRunId: "run" });
    expect(ids([own, child])).toEqual(["own", "child"]);
    // The parent sleeps meanwhile; what stands open is said all the same.
    expect(waitsFor({ id: "run", status: "queued" }, [child])).toBe("waiting_approval");
    expect(waitsFor({ id: "run", status: "queued" }, [{ ...child, responseLabel: "Code" }])).toBe("waiting_input");
  });
  test("RUN-18 a run that gave work away says what is waited for there, and not that it goes on shortly", () => {
    const child = request("child", { runId: "child-run", parentRunId: "run" });
    expect(partWaitsFor({ id: "run" }, [child, request("own", {})])).toBe("partApproval");
    expect(partWaitsFor({ id: "run" }, [{ ...child, responseLabel: "Code" }])).toBe("partInput");
    expect(partWaitsFor({ id: "run" }, [{ ...child, status: "approved" }, request("own", {})])).toBeNull();
    expect(partWaitsFor({ id: "other" }, [child])).toBeNull();
  });
  test("what was decided, submitted apart, or belongs to another run is not asked", () => {
    const others = [
      request("decided", { status: "approved" }),
      request("child of another", { runId: "child-run", parentRunId: "older" }),
      request("submitted", { runId: "apart", stagedFromRunId: "run" }),
      request("other", { runId: "older" }),
    ];
    expect(ids(others)).toEqual([]);
    expect(waitsFor({ id: "run", status: "running" }, others)).toBeNull();
    expect(waitsFor({ id: "run", status: "waiting_input" }, others)).toBeNull();
    expect(waitsFor({ id: "run", status: "waiting_approval" }, others)).toBe("waiting_approval");
  });
  test("APR-9 where an approval is open beside an input, it is an approval that is waited for", () => {
    const input = request("input", { responseLabel: "Code" });
    expect(waitsFor({ id: "run", status: "waiting_input" }, [input])).toBe("waiting_input");
    expect(waitsFor({ id: "run", status: "waiting_input" }, [input, request("own", {})])).toBe("waiting_approval");
  });
});
