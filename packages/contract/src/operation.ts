import { z } from "zod";
import { id, instant } from "./ids.ts";
import { adminTeam } from "./views.ts";

/** The queues of the platform. */
export const deadLetterQueue = z.enum(["steps", "jobs", "ingest"]);
export type DeadLetterQueue = z.infer<typeof deadLetterQueue>;

/**
 * `unreadable`: no message of ours. `unknown_version`: of a version that this one does not know. `failed_repeatedly`: sound,
 * and delivered too often.
 */
export const deadLetterReason = z.enum(["unreadable", "unknown_version", "failed_repeatedly"]);
export type DeadLetterReason = z.infer<typeof deadLetterReason>;

/** A message that ended with the dead letters (RUN-20). */
export const deadLetter = z.object({
  queue: deadLetterQueue,
  id: z.string(),
  reason: deadLetterReason,
  /** Its beginning as plain text, without known secrets. Whoever can send to the queue wrote it. */
  body: z.string(),
  /** Characters of the whole. */
  bodyChars: z.number().int(),
  sentAt: instant,
  receiveCount: z.number().int(),
});
export type DeadLetter = z.infer<typeof deadLetter>;

const limit = (min: number, max: number) => z.number().int().min(min).max(max).nullable();

/** Bounds of a run that platform admins set (RUN-10). Null: the default of the installation holds, which is also the most. */
export const limitValues = z.strictObject({
  modelCalls: limit(1, 100_000),
  /** Tokens in and out of one run. */
  runTokens: limit(1, 1_000_000_000),
  /** Seconds a run's steps work in all; waits are not counted. */
  runWallS: limit(1, 31_536_000),
  toolResultBytes: limit(1_024, 1_048_576),
  /** How often a run may make the same call with the same arguments. */
  identicalCalls: limit(2, 1_000),
});
export type LimitValues = z.infer<typeof limitValues>;

export const limitSettings = z.object({
  values: limitValues,
  /** What holds where nothing is set, and at most. */
  defaults: z.object({
    modelCalls: z.number(),
    runTokens: z.number(),
    runWallS: z.number(),
    toolResultBytes: z.number(),
    identicalCalls: z.number(),
  }),
  /** Goes up with each change; sent back so that nobody overwrites another's. */
  version: z.number().int(),
});
export type LimitSettings = z.infer<typeof limitSettings>;

const letterParams = z.object({ queue: deadLetterQueue, messageId: z.string().regex(/^[A-Za-z0-9-]{1,100}$/) });

/** The table of the platform's upkeep, in the form of api.ts. */
export const OPERATION_ENDPOINTS = {
  listDeadLetters: {
    method: "GET",
    path: "/api/admin/dead-letters",
    access: "platform",
    status: 200,
    response: z.object({ items: z.array(deadLetter), more: z.boolean() }),
    summary: "Messages that were delivered too often (RUN-20)",
  },
  redriveDeadLetter: {
    method: "POST",
    path: "/api/admin/dead-letters/:queue/:messageId/redrive",
    access: "platform",
    status: 204,
    params: letterParams,
    summary: "Send a dead letter to its queue once more",
  },
  removeDeadLetter: {
    method: "DELETE",
    path: "/api/admin/dead-letters/:queue/:messageId",
    access: "platform",
    status: 204,
    params: letterParams,
    summary: "Take a dead letter away for good",
  },
  getLimits: {
    method: "GET",
    path: "/api/admin/limits",
    access: "platform",
    status: 200,
    response: limitSettings,
    summary: "Bounds of every run (RUN-10)",
  },
  setLimits: {
    method: "PUT",
    path: "/api/admin/limits",
    access: "platform",
    status: 200,
    body: limitValues.extend({ version: z.number().int() }),
    response: limitSettings,
    summary: "Set the bounds of every run; audited (409 conflict)",
  },
  updateTeam: {
    method: "PUT",
    path: "/api/admin/teams/:teamId",
    access: "platform",
    status: 200,
    params: z.object({ teamId: id }),
    body: z.strictObject({ maxParallelRuns: z.number().int().min(1).max(1000) }),
    response: adminTeam,
    summary: "Change how many runs of a team work at a time; audited",
  },
} as const;
