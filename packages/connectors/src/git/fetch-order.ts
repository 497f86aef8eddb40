import { z } from "zod";
import type { GitFailureCode } from "./failure.ts";
import type { GitLimits } from "./limits.ts";
import type { GitEgressSettings } from "./remote.ts";

/** What a fetching process is asked. */
export type FetchJob =
  /**
   * The snapshot of a commit, which is the head of `branch` or lies in its history. With a `base`, only when that is an
   * ancestor.
   */
  | { readonly kind: "snapshot"; readonly commit: string; readonly branch: string; readonly base: string | null }
  /** Whether `base` is an ancestor of `head`. */
  | { readonly kind: "contains"; readonly head: string; readonly base: string };

/** Sent to the process as its first message; holds the credentials, and is written down nowhere. */
export interface FetchOrder {
  readonly job: FetchJob;
  readonly url: string;
  readonly authorization: string | null;
  readonly ca: string | undefined;
  readonly limits: GitLimits;
  readonly egress: GitEgressSettings;
}

const code = z.custom<GitFailureCode>((value) => typeof value === "string" && value.startsWith("source_"));

/** Its only message back. */
export const fetchAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("snapshot"), bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array) }),
  z.object({ kind: z.literal("contains"), contained: z.boolean() }),
  z.object({ kind: z.literal("failed"), code, detail: z.string() }),
]);
export type FetchAnswer = z.infer<typeof fetchAnswer>;
