import { type BaseRecordDict, type Flatten, flatten, type Translator, translator } from "@solid-primitives/i18n";
import { fill } from "./fill.ts";
import { locale } from "./locale.ts";

/**
 * Binds the two dictionaries of an area. The English one is typed by the German one, so a missing key does not compile.
 * Templates take `{{ name }}`; functions take what they need and return text. Both languages travel with the pages
 * that use the area, so switching the language never waits.
 */
export const area = <D extends BaseRecordDict>(de: D, en: D): Translator<Flatten<D>> => {
  const flat = { de: flatten(de), en: flatten(en) };
  return translator<Flatten<D>>(() => flat[locale()], fill);
};
