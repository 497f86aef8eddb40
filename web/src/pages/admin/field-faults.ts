import type { ApiProblem } from "../../data/client.ts";
import { admin as t } from "../../i18n/admin.ts";

const KNOWN = ["taken", "invalid", "bad_text", "required"] as const;
type Fault = (typeof KNOWN)[number];
const isFault = (code: string): code is Fault => KNOWN.some((fault) => fault === code);

/** The faults of a form that the server found, worded, by field; faults without words of their own are left to the line below. */
export const fieldFaults = (problem: ApiProblem): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(problem.fields).flatMap(([field, code]) =>
      isFault(code) ? [[field, t(`users.form.${code}`)] as const] : [],
    ),
  );
