import { expect, test } from "vitest";
import { urlOf } from "./client.ts";

test("SEC-3: path parameters are encoded, absent query values are left out", () => {
  expect(urlOf("getRun", { params: { runId: "a/../b?c" } })).toBe("/api/runs/a%2F..%2Fb%3Fc");
  expect(urlOf("listApprovals", { query: { filter: "open", limit: 5, cursor: undefined, workspaceId: null } })).toBe(
    "/api/approvals?filter=open&limit=5",
  );
  expect(urlOf("listWorkspaces")).toBe("/api/workspaces");
});
