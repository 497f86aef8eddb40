import { expect, test } from "vitest";
import { deniedCall } from "./denied-call.ts";

const [a, b] = ["019a0000-0000-7000-8000-00000000000a", "019a0000-0000-7000-8000-00000000000b"] as const;

test("AUD-1: a refused call is named by its endpoint, its workspace and the record it was about", () => {
  expect(deniedCall("cancelRun", "/api/runs/:runId/cancel", { runId: a.toUpperCase() })).toEqual({
    endpoint: "cancelRun",
    object: { kind: "run", id: a },
  });
  expect(
    deniedCall("decide", "/api/projects/:projectId/approvals/:approvalId/decide", { projectId: a, approvalId: b }),
  ).toEqual({ endpoint: "decide", workspaceId: a, object: { kind: "approval", id: b } });
  expect(deniedCall("createWorkspace", "/api/workspaces", {})).toEqual({ endpoint: "createWorkspace" });
});
