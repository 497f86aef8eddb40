import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("./app.css", import.meta.url), "utf8");
const tokensOf = (selector: string): Map<string, string> => {
  const start = css.indexOf(`${selector} {`);
  const body = css.slice(start, css.indexOf("}", start));
  return new Map([...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1] ?? "", m[2] ?? ""]));
};
const light = tokensOf(":root");
const dark = tokensOf(':root[data-theme="dark"]');

const luminance = (hex: string): number => {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
};
const contrast = (a: string, b: string): number => {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((hi ?? 0) + 0.05) / ((lo ?? 0) + 0.05);
};

const planes = ["canvas", "surface", "sunken"];
const tones = ["pos", "warn", "neg", "info", "hold", "mute"];
const textPairs: [string, string][] = [
  ...["ink", "ink-2", "ink-3", "accent-ink"].flatMap((ink) => planes.map((plane): [string, string] => [ink, plane])),
  ...tones.map((tone): [string, string] => [tone, `${tone}-bg`]),
  ...tones.flatMap((tone) => planes.map((plane): [string, string] => [tone, plane])),
  ...tones.map((tone): [string, string] => ["ink", `${tone}-bg`]),
  ["on-accent", "accent"],
  ["on-accent", "accent-ink"],
  ...["diff-add", "diff-del"].flatMap((bg): [string, string][] => [
    ["ink", bg],
    ["ink-3", bg],
  ]),
  ["pos", "diff-add"],
  ["neg", "diff-del"],
  ["ink", "diff-add-word"],
  ["ink", "diff-del-word"],
];

test.each([
  ["light", light],
  ["dark", dark],
])("OPS-10: every text colour of the %s theme has a contrast of at least 4.5 on its grounds", (_, tokens) => {
  expect(tokens.size).toBeGreaterThan(25);
  for (const [ink, ground] of textPairs) {
    expect(contrast(tokens.get(ink) ?? "", tokens.get(ground) ?? ""), `${ink} on ${ground}`).toBeGreaterThanOrEqual(
      4.5,
    );
  }
});

test.each([
  ["light", light],
  ["dark", dark],
])("OPS-10: borders of controls and the focus ring of the %s theme stand out by at least 3", (_, tokens) => {
  for (const line of ["line-strong", "accent"]) {
    for (const plane of planes)
      expect(contrast(tokens.get(line) ?? "", tokens.get(plane) ?? ""), `${line} on ${plane}`).toBeGreaterThanOrEqual(
        3,
      );
  }
});

test("OPS-10: both themes define the same colours", () => {
  expect([...dark.keys()].sort()).toEqual([...light.keys()].sort());
});
