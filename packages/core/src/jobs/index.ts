export { claim, JOB_KINDS, type ClaimedJob } from "./claim.ts";
export { fail } from "./finish.ts";
export { ringDue } from "./ring-due.ts";
export { get } from "./view.ts";
export { observed } from "./observed.ts";
