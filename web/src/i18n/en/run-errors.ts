import type { de } from "../de/run-errors.ts";

export const en: typeof de = {
  request_rejected: "A person rejected the request. Reason: {{ reason }}",
  request_expired: "Nobody decided the request in time.",
  requester_gone: "The person who started this run may not use the workspace any more.",
  ended_by_person: "A person ended the run.",
  step_failed: "A step failed several times for an internal reason.",
  time_limit: "A step took longer than it may, twice.",
};
