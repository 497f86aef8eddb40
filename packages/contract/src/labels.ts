import { z } from "zod";
import { id, instant } from "./ids.ts";

/** POL-11: what admins of a workspace say of a source; null: nothing said. Rules read them as `context.source.*`. */
export const sourceLabels = z.object({
  environment: z.enum(["production", "staging", "test", "development"]).nullable(),
  sensitivity: z.enum(["public", "internal", "confidential"]).nullable(),
  trust: z.enum(["trusted", "untrusted"]).nullable(),
});
export type SourceLabels = z.infer<typeof sourceLabels>;
export const NO_LABELS: SourceLabels = { environment: null, sensitivity: null, trust: null };

/** POL-11: confidential sources and untrusted content that come together in a workspace, by name; outward tools are blocked. */
export const combination = z.object({
  confidential: z.array(z.string()),
  untrusted: z.array(z.string()),
  /** Present where a platform admin lifted the block. */
  lifted: z
    .object({
      at: instant,
      by: z.object({ id, name: z.string(), displayName: z.string() }).nullable(),
      reason: z.string(),
    })
    .nullable(),
});
export type Combination = z.infer<typeof combination>;

/** The same with its workspace, for those who may lift the block. */
export const workspaceCombination = combination.extend({ workspace: z.object({ id, name: z.string() }) });
export type WorkspaceCombination = z.infer<typeof workspaceCombination>;
