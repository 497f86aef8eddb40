import { Problem, PROBLEMS, type ProblemDetails } from "@aiw/contract/problem";
import { sqlState } from "@aiw/platform/db";
import type { Log } from "@aiw/platform/log";

/** The answer for anything that was thrown (SEC-5): a problem as it is, everything else logged and worded as ours. */
export function problemResponse(error: unknown, requestId: string, log: Log): Response {
  if (error instanceof Problem) return encode(error, requestId);
  if (isDatabaseDown(error)) {
    log.warn("the database does not answer", { requestId, error });
    return encode(new Problem("unavailable"), requestId);
  }
  log.error("a request failed", { requestId, error });
  return encode(new Problem("internal"), requestId);
}

function encode(problem: Problem, requestId: string): Response {
  const body: ProblemDetails = {
    type: `urn:aiw:problem:${problem.code}`,
    title: PROBLEMS[problem.code][1],
    status: problem.status,
    code: problem.code,
    requestId,
    ...(problem.params === undefined ? {} : { params: problem.params }),
    ...(problem.fields === undefined ? {} : { fields: problem.fields }),
  };
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (problem.status === 503) headers.set("retry-after", "2");
  if (problem.code === "rate_limited") headers.set("retry-after", "60");
  // What is left of a body that was too large is not worth reading.
  if (problem.code === "body_too_large") headers.set("connection", "close");
  return new Response(JSON.stringify(body), { status: problem.status, headers });
}

const DOWN = new Set([
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
]);

/** No connection, too many of them, or a server that shuts down. */
function isDatabaseDown(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return state.startsWith("08") || state.startsWith("53") || state.startsWith("57P");
  return error instanceof Error && "code" in error && typeof error.code === "string" && DOWN.has(error.code);
}
