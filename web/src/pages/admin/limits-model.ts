import type { LimitSettings, LimitValues } from "@aiw/contract/operation";

export const LIMITS = ["modelCalls", "runTokens", "runWallS", "toolResultBytes", "identicalCalls"] as const;
export type LimitName = (typeof LIMITS)[number];
export type LimitTexts = Readonly<Record<LimitName, string>>;

/** The least of each; the most is what the installation sets. */
export const LEAST: Readonly<Record<LimitName, number>> = {
  modelCalls: 1,
  runTokens: 1,
  runWallS: 1,
  toolResultBytes: 1024,
  identicalCalls: 2,
};

const record = <T>(of: (name: LimitName) => T): Record<LimitName, T> => ({
  modelCalls: of("modelCalls"),
  runTokens: of("runTokens"),
  runWallS: of("runWallS"),
  toolResultBytes: of("toolResultBytes"),
  identicalCalls: of("identicalCalls"),
});

/** What stands in the fields; empty: the installation's. */
export const textsOf = (settings: LimitSettings): LimitTexts =>
  record((name) => settings.values[name]?.toString() ?? "");

/** What the fields say; undefined where one cannot be saved. */
export const valuesOf = (texts: LimitTexts, most: LimitSettings["defaults"]): LimitValues | undefined => {
  const values = record((name) => valueOf(texts[name], LEAST[name], Math.floor(most[name])));
  const { modelCalls, runTokens, runWallS, toolResultBytes, identicalCalls } = values;
  if (
    modelCalls === undefined ||
    runTokens === undefined ||
    runWallS === undefined ||
    toolResultBytes === undefined ||
    identicalCalls === undefined
  )
    return undefined;
  return { modelCalls, runTokens, runWallS, toolResultBytes, identicalCalls };
};

/** Null: empty. Undefined: no whole number within the bounds. */
export const valueOf = (text: string, least: number, most: number): number | null | undefined => {
  const plain = text.trim();
  if (plain === "") return null;
  const value = Number(plain);
  return /^\d{1,12}$/.test(plain) && value >= least && value <= most ? value : undefined;
};
