import { area } from "./area.ts";
import { de } from "./de/common.ts";
import { en } from "./en/common.ts";

/** Words every page shares: navigation, states, risk classes, actions. Other areas: i18n/<area>.ts. */
export const t = area(de, en);

export { area } from "./area.ts";
export { type Locale, locale, setLocale } from "./locale.ts";
export * from "./format.ts";
