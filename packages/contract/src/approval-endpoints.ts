import { z } from "zod";
import { list, page, reason, response } from "./fields.ts";
import { id, sha256 } from "./ids.ts";
import { requestStatus } from "./runs.ts";
import * as v from "./views.ts";

/** Requests and decisions; part of the table in `api.ts`. */
export const APPROVAL_ENDPOINTS = {
  listApprovals: {
    method: "GET",
    path: "/api/approvals",
    access: "session",
    scope: "approvals.view",
    status: 200,
    query: page.extend({ workspaceId: id.optional(), filter: z.enum(["open", "mine", "done"]).optional() }),
    response: list(v.approvalSummary).extend({ open: z.number().int() }),
    summary: "Requests the reader may see; `open` counts what the reader can decide",
  },
  getApproval: {
    method: "GET",
    path: "/api/approvals/:approvalId",
    access: "session",
    scope: "approvals.view",
    status: 200,
    params: z.object({ approvalId: id }),
    response: v.approvalDetail,
    summary: "One request with the real change",
  },
  approve: {
    method: "POST",
    path: "/api/approvals/:approvalId/approve",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    params: z.object({ approvalId: id }),
    body: z.strictObject({ seenHash: sha256, reason: reason.optional(), response: response.optional() }),
    response: v.approvalDetail,
    summary: "Approve exactly what was shown; an input request takes the response (APR-9)",
  },
  reject: {
    method: "POST",
    path: "/api/approvals/:approvalId/reject",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    params: z.object({ approvalId: id }),
    body: z.strictObject({ seenHash: sha256, reason, endRun: z.boolean().optional() }),
    response: v.approvalDetail,
    summary: "Reject with a reason",
  },
  decideMany: {
    method: "POST",
    path: "/api/approvals/decisions",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    body: z.strictObject({
      status: z.enum(["approved", "rejected"]),
      /** Required to reject; the comment of each decision. */
      reason: reason.optional(),
      requests: z
        .array(z.strictObject({ approvalId: id, seenHash: sha256 }))
        .min(1)
        .max(50),
    }),
    response: z.object({
      items: z.array(
        z.object({
          approvalId: id,
          ok: z.boolean(),
          /** Why not, as a problem code; a foreign id is not_found in its place (N38). */
          code: z.string().nullable(),
          status: requestStatus.nullable(),
        }),
      ),
    }),
    summary: "Several single decisions in the given order, with a result for each (APR-15)",
  },
  requestAgain: {
    method: "POST",
    path: "/api/approvals/:approvalId/request-again",
    access: "session",
    status: 201,
    params: z.object({ approvalId: id }),
    response: v.approvalDetail,
    summary: "Put forward again: prepared anew against the present state (APR-7, APR-19)",
  },
  decide: {
    method: "POST",
    path: "/api/projects/:projectId/approvals/:approvalId/decide",
    access: "session",
    scope: "approvals.decide",
    status: 200,
    params: z.object({ projectId: id, approvalId: id }),
    body: z.strictObject({
      status: z.enum(["approved", "rejected"]),
      response: response.optional(),
      reason: reason.optional(),
      seen_hash: sha256.optional(),
    }),
    response: v.approvalDetail,
    summary: "Decide (project = workspace)",
  },
  inboxEvents: {
    method: "GET",
    path: "/api/inbox/events",
    access: "session",
    status: 200,
    response: "stream",
    summary: "Hints for this person: what to fetch anew",
  },
} as const;
