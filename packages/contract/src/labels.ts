import { z } from "zod";

/** POL-11: what admins of a workspace say of a source; null: nothing said. Rules read them as `context.source.*`. */
export const sourceLabels = z.object({
  environment: z.enum(["production", "staging", "test", "development"]).nullable(),
  sensitivity: z.enum(["public", "internal", "confidential"]).nullable(),
  trust: z.enum(["trusted", "untrusted"]).nullable(),
});
export type SourceLabels = z.infer<typeof sourceLabels>;
export const NO_LABELS: SourceLabels = { environment: null, sensitivity: null, trust: null };
