import { z } from "zod";
import { id } from "./ids.ts";
import { saysSomething } from "./text.ts";

export const ws = z.object({ workspaceId: id });
export const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() });
export const page = z.strictObject({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
});
export const name = z.string().trim().min(1).max(80);
/** What goes out in a header: printable, without blanks; a pasted line break is no part of it. */
export const credential = z
  .string()
  .trim()
  .min(1)
  .max(4000)
  .regex(/^[\x21-\x7e]+$/);
export const reason = z.string().trim().max(2000);
/** What a person answers to an input request: kept exactly as it is, so it has to be storable; blank is refused by the verb. */
export const response = z
  .string()
  .max(20_000)
  .refine((s) => !s.includes("\u0000") && s.isWellFormed(), "bad_text");
/** Chat text: at most 32,000 characters, storable (no NUL, no lone surrogate). */
export const text = z
  .string()
  .min(1)
  .max(32_000)
  .refine(saysSomething, "blank")
  .refine((s) => !s.includes("\u0000") && s.isWellFormed(), "bad_text");
