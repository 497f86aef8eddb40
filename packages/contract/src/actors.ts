import type { MemberRole } from "./views.ts";

/** Who acts (DESIGN idea 1): a typed parameter, so that code holding one actor cannot do what needs another. */
export interface Human {
  readonly kind: "human";
  readonly userId: string;
  readonly name: string;
  readonly displayName: string;
  readonly isPlatformAdmin: boolean;
  readonly isGlobalApprover: boolean;
  readonly mustChangePassword: boolean;
  /** Set when they act through an API key (IDN-5): what they do is bound to its workspace. */
  readonly key?: { readonly id: string; readonly workspaceId: string; readonly name: string };
}

/** A person inside a workspace they belong to; made by `workspaces.enter` alone. */
export interface Member extends Human {
  readonly workspaceId: string;
  readonly teamId: string;
  readonly role: MemberRole;
}

/** The step function on behalf of a run: it holds the run's fence and may not decide anything. */
export interface Agent {
  readonly kind: "agent";
  readonly runId: string;
  readonly workspaceId: string;
  readonly fence: number;
}

/** The platform's own upkeep: sweeper, jobs, start-up. */
export interface System {
  readonly kind: "system";
}
