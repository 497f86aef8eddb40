import { expect, test } from "vitest";
import { readName } from "./names.ts";

test("N18: names that look the same are stored the same", () => {
  const stored = "Größe zwei";
  for (const text of [stored, " Größe  zwei ", "Größe\u00a0zwei", "Gro\u0308ße\u2003zwei", "Größe\tzwei"])
    expect(readName(text, "name")).toBe(stored);
});

test("N18: names with invisible, reordering or unstorable characters are refused", () => {
  for (const text of [
    "orders\u200b",
    "a\u202eb",
    "a\u0000b",
    "x\ud800",
    "a\nb",
    "a\ufeffb",
    "a\u00adb",
    "a\ufe0f",
    " \u00a0 ",
  ])
    expect(() => readName(text, "name"), JSON.stringify(text)).toThrow(
      expect.objectContaining({ code: "bad_request", fields: { name: "bad_text" } }),
    );
});
