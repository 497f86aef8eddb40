import type { ApiCode, ApiProblem } from "../data/client.ts";
import { area } from "./area.ts";
import { de } from "./de/problems.ts";
import { en } from "./en/problems.ts";
import { t } from "./index.ts";

const words = area(de, en);
const known = (code: string): code is ApiCode => Object.hasOwn(de, code);

/** A problem in the reader's language; a code this version does not know gets the sentence of last resort. */
export const problemText = (problem: ApiProblem): string =>
  problem.code === "bad_request" && Object.values(problem.fields).includes("bad_text")
    ? t("error.badText")
    : (wordCode(problem.code) ?? problem.message);

/** The sentence for a code, if there is one (error codes of runs and jobs share the table). */
export const wordCode = (code: string | null | undefined): string | undefined =>
  code !== null && code !== undefined && known(code) ? words(code) : undefined;
