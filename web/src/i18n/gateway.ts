import { area } from "./area.ts";
import { de } from "./de/gateway.ts";
import { en } from "./en/gateway.ts";

const words = area(de, en);
const isKnown = (code: string): code is keyof typeof de => Object.hasOwn(de, code);

/** The sentence for what went wrong at a model gateway, if there is one. */
export const gatewayWord = (code: string | null | undefined): string | undefined =>
  code !== null && code !== undefined && isKnown(code) ? words(code) : undefined;
