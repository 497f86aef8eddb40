export { claimExecution, frozen, type ExecutionFacts } from "./claim-execution.ts";
export { decide, type Decision } from "./decide.ts";
export { expireDue } from "./expire.ts";
export { takeNumber } from "./number.ts";
export { reconcile } from "./reconcile.ts";
export { requestAgain } from "./request-again.ts";
export { detail, list } from "./views.ts";
