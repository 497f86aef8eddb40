import type http from "node:http";
import type https from "node:https";
import type { GitLimits } from "./limits.ts";

/** The part of the platform's egress guard this room needs: allowlist before, pinned address while connecting (SRC-3). */
export interface GitEgress {
  check(url: string): URL;
  agents(): { readonly http: http.Agent; readonly https: https.Agent };
}

/** What that guard is made from. Plain, so that a child process can make its own. */
export interface GitEgressSettings {
  /** "host" or "host:port". */
  readonly allowedHosts: readonly string[];
  /** Development only: plain http and loopback for hosts on the list. */
  readonly allowLocal: boolean;
}

/** A Git server opened for the length of one call. `authorization` is a header value and stays in memory (GIT-2). */
export interface Remote {
  /** Repository address without a trailing slash. */
  readonly url: URL;
  readonly authorization: string | null;
  readonly egress: GitEgress;
  readonly egressSettings: GitEgressSettings;
  readonly signal: AbortSignal;
  readonly limits: GitLimits;
  /** Certificates of a private authority, PEM. */
  readonly ca: string | undefined;
  /** Hides the secret in text that came from the server. */
  readonly clean: (serverText: string) => string;
}
