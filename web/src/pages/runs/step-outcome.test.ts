import { readdirSync, readFileSync } from "node:fs";
import { RUN_TRANSITIONS } from "@aiw/contract/runs";
import { afterAll, expect, test } from "vitest";
import { setLocale } from "../../i18n/locale.ts";
import { outcomeText } from "./step-outcome.ts";

afterAll(() => setLocale("en"));

/** Every outcome that a step is given, as it stands in the engine and in the functions of the database. */
const outcomes = (): readonly string[] => {
  const root = new URL("../../../../", import.meta.url);
  const read = (folder: string, ending: string): string[] =>
    readdirSync(new URL(folder, root))
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(new URL(`${folder}${name}`, root), "utf8"));
  const said = read("packages/engine/src/", ".ts").flatMap((text) => [
    ...[...text.matchAll(/(?<!Extract<Claim, \{ )\boutcome: ["`]([a-z_]+)/g)].map((m) => m[1] ?? ""),
    ...[...text.matchAll(/\boutcome: \w+ \? "([a-z_]+)" : "([a-z_]+)"/g)].flatMap((m) => [m[1] ?? "", m[2] ?? ""]),
  ]);
  const stored = read("migrations/", ".sql").flatMap((text) =>
    [...text.matchAll(/update run_steps .*outcome = '([a-z_]+)'/g)].map((m) => m[1] ?? ""),
  );
  return [...new Set([...said, ...stored])];
};

test("RUN-17 OPS-9 every way in which a step can end has a word in the reader's language", () => {
  const all = outcomes();
  expect(all).toEqual(
    expect.arrayContaining(["lease_lost", "wall", "settled", "children", "expired", "retry", "calls"]),
  );
  setLocale("de");
  for (const outcome of [...all, ...Object.keys(RUN_TRANSITIONS)]) {
    expect(outcomeText(`${outcome}:code`), outcome).not.toContain(outcome);
  }
  expect(outcomeText("lease_lost")).toBe("Prozess ausgefallen, Schritt übernommen");
  expect(outcomeText("of_the_future")).toBe("of_the_future");
});
