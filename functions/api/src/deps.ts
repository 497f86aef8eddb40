import type { LimitSettings } from "@aiw/contract/operation";
import type { JsonObject } from "@aiw/contract/tools";
import type { PublicConfig } from "@aiw/contract/views";
import type { DeadLetterQueues } from "@aiw/core/dead-letters";
import type { SignInConfig } from "@aiw/core/identity";
import type { AddressCheck } from "@aiw/core/sources";
import type { UploadEdges } from "@aiw/core/uploads";
import type { Egress } from "@aiw/platform/egress";
import type { Database } from "@aiw/platform/db";
import type { Log } from "@aiw/platform/log";
import type { Telemetry } from "@aiw/platform/telemetry";
import type { Span } from "@aiw/platform/trace";
import type { Vault } from "@aiw/platform/vault";
import type { LoginGuard } from "./http/login-guard.ts";
import type { StreamHub } from "./stream/hub.ts";

/** Runs of one team to wake, after the commit that made them ready. */
export interface Rung {
  readonly teamId: string;
  readonly runIds: readonly string[];
}

export interface ApiSettings {
  /** What everybody may know, apart from the demo logins. */
  readonly config: Omit<PublicConfig, "demoLogins">;
  /** What the sign-in page calls the people of a demonstration, by user name; the display name where there is none. */
  readonly demoRoles: ReadonlyMap<string, string>;
  /** What /version answers. */
  readonly version: JsonObject;
  /** Origin of the product's own pages, such as https://ai.example.com; absent: the host the request names. */
  readonly publicOrigin?: string;
  /** https: the session cookie carries the `__Host-` prefix and `Secure`. */
  readonly secureCookies: boolean;
  /** Where browsers send uploads, when that is another origin (UPL-1). */
  readonly storageOrigin?: string;
  /** Defaults of a new workspace. */
  readonly approvalTtlS: number;
  readonly maxToolRounds: number;
  readonly maxToolRoundsLimit: number;
  readonly executeWithinS: number;
  /** Bounds of every run, and the most that platform admins may set (RUN-10). */
  readonly limits: LimitSettings["defaults"];
}

/** Everything the API works with, by argument. */
export interface ApiDeps {
  readonly db: Database;
  readonly log: Log;
  /** Traces and metrics (SEC-9); left out: none. */
  readonly telemetry?: Telemetry;
  /** Of the request under way; set for each handler. */
  readonly span?: Span;
  readonly vault: Vault;
  readonly egress: AddressCheck;
  /** The same for MCP servers, with a list of hosts of its own (SRC-3). */
  readonly mcpEgress: AddressCheck;
  /** The guard for a model gateway at an address (SRC-3). */
  readonly modelGuard: (url: string) => Pick<Egress, "check" | "close">;
  readonly signIn: SignInConfig;
  readonly settings: ApiSettings;
  readonly hub: StreamHub;
  /** What an upload may be, and the address it is sent to (UPL-1). */
  readonly uploads: UploadEdges;
  readonly loginGuard: LoginGuard;
  /** The same for API keys: a minute's calls with one key, and in all (SEC-6). */
  readonly keyGuard: LoginGuard;
  /** Messages of the queues that were delivered too often (RUN-20). */
  readonly deadLetters: DeadLetterQueues;
  /** Doorbells after the commit. They log what they cannot send and never reject: the sweeper rings again (RUN-5). */
  /** `under`: the request's span. */
  ringStep(rung: Rung, under?: Span): Promise<void>;
  ringJob(jobId: string): Promise<void>;
  /** The same for the function that imports and deletes uploads. */
  ringIngest(jobId: string): Promise<void>;
  /** Tells the streams of all instances that something about these runs changed (RUN-11); never rejects. */
  hint(runIds: readonly string[]): Promise<void>;
  /** What must work before requests are sent here: name -> check that rejects (OPS-8). */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** Folder of the built web app; absent: the API alone. */
  readonly webRoot?: string;
}
