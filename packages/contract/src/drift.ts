import { z } from "zod";

/**
 * What is different at the target of a frozen call (APR-19), as a code with facts that a page words in the reader's language; the
 * sentence beside it is for the model. Facts come from outside.
 */
export const drift = z.object({
  code: z.enum([
    "files_changed",
    "base_gone",
    "branch_taken",
    "target_branch_changed",
    "repository_changed",
    "server_address_changed",
    "definition_changed",
  ]),
  facts: z.record(z.string(), z.string()),
});
export type Drift = z.infer<typeof drift>;
