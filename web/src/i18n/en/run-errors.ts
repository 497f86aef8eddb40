import type { de } from "../de/run-errors.ts";

export const en: typeof de = {
  request_rejected: "A person rejected the request. Reason: {{ reason }}",
  request_expired: "Nobody decided the request in time.",
  requester_gone: "The person who started this run may not use the workspace any more.",
  step_failed: "A step failed several times for an internal reason.",
  time_limit: "A step took longer than it may, twice.",
};
