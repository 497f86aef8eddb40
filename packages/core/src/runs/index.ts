export * from "./run.ts";
export { claim } from "./claim.ts";
export { commit, finishCall } from "./commit.ts";
export { recoverLeases, releaseHeld, ringDue } from "./sweep.ts";
export { cancel, resume } from "./change.ts";
export { detail, list, one } from "./views.ts";
