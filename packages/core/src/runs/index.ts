export * from "./run.ts";
export { claim, type Claim } from "./claim.ts";
export { commit, finishCall, goOn } from "./commit.ts";
export { recoverLeases, releaseHeld, ringDue } from "./sweep.ts";
export { cancel, resume } from "./change.ts";
export { detail, list, one } from "./views.ts";
