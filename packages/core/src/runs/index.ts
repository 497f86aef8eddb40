export * from "./run.ts";
export { claim, type Claim } from "./claim.ts";
export { commit, finishCall } from "./commit.ts";
export { load } from "./load.ts";
export { recoverLeases, ringDue } from "./sweep.ts";
export { cancel, resume } from "./change.ts";
export { detail, list, one, summariesOfChat, type Viewer } from "./views.ts";
export { callsOf } from "./calls.ts";
