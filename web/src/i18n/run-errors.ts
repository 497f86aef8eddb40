import { area } from "./area.ts";
import { de } from "./de/run-errors.ts";
import { en } from "./en/run-errors.ts";
import { gatewayWord } from "./gateway.ts";
import { wordCode } from "./problems.ts";

const words = area(de, en);
const isKnown = (code: string): code is keyof typeof de => Object.hasOwn(de, code);

/** What a person wrote, in the text that the run keeps. */
const reasonIn = (text: string | null | undefined): string => /Reason: ([\s\S]*)$/.exec(text ?? "")?.[1] ?? "";

interface Failure {
  readonly errorCode: string | null;
  readonly errorText: string | null;
}

/** The sentence for why a run ended, in the reader's language, if there is one: of the run itself, its model's gateway, or the product. */
export const runErrorWord = ({ errorCode, errorText }: Failure): string | undefined =>
  errorCode !== null && isKnown(errorCode)
    ? words(errorCode, { reason: reasonIn(errorText) })
    : (gatewayWord(errorCode) ?? wordCode(errorCode));

/** What the run keeps of its failure beyond that sentence; null where the sentence says it all. */
export const runErrorDetail = (failure: Failure): string | null =>
  runErrorWord(failure) === undefined || isKnown(failure.errorCode ?? "") ? null : failure.errorText;
