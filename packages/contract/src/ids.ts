import { z } from "zod";

/** Every record id is a UUID (version 7 where we make it, so that ids sort by creation). */
export const id = z.uuid();
export type Id = z.infer<typeof id>;

/** The 40 lower-case hex digits of a Git commit (SHA-1 object format). */
export const commitSha = z.string().regex(/^[0-9a-f]{40}$/);

/** SHA-256 as 64 lower-case hex digits. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** An ISO 8601 instant in UTC, as every answer of the API spells time. */
export const instant = z.iso.datetime();
