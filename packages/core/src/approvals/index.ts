export { claimExecution, frozen, type ExecutionFacts } from "./claim-execution.ts";
export { decide, Overtaken, responseContext, type Decision } from "./decide.ts";
export { forCheck, openChecks, recordCheck, type RequestToCheck, type Seen } from "./drift.ts";
export { expireDue } from "./expire.ts";
export { takeNumber } from "./number.ts";
export { reconcile } from "./reconcile.ts";
export { requestAgain } from "./request-again.ts";
export { detail, view } from "./detail.ts";
export { list } from "./views.ts";
