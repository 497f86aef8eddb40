import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { confusable, reveal, revealString } from "./reveal.ts";

const hiddenIn = (text: string): number => reveal(text).hidden;
const property = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\p{Cs}]/u;
const allCodePoints = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint);

describe("what cannot be seen is shown (APR-2, N26)", () => {
  test("every code point that draws nothing, between letters, exactly once", () => {
    const missed: number[] = [];
    let tried = 0;
    for (const codePoint of allCodePoints) {
      const character = String.fromCodePoint(codePoint);
      if (!property.test(character) || character === "\n" || character === "\t") continue;
      tried += 1;
      const { segments, hidden } = reveal(`a${character}b`);
      const found = segments[1]?.hidden;
      const shown = codePoint === 0x0d ? "␍" : `\\u{${codePoint.toString(16).toUpperCase()}}`;
      const right = hidden === 1 && segments.length === 3 && found?.codePoint === codePoint && found.shown === shown;
      if (!right) missed.push(codePoint);
    }
    expect(missed).toEqual([]);
    expect(tried).toBeGreaterThan(4000);
  });

  test("the visible rest of Unicode is left alone, apart from odd spaces", () => {
    const flagged = allCodePoints
      .map((codePoint) => String.fromCodePoint(codePoint))
      .filter((character) => !property.test(character) && !/[\p{Zs}\u2800]/u.test(character))
      .filter((character) => hiddenIn(`a${character}b`) > 0);
    expect(flagged).toEqual([]);
  });

  test.each([
    ["rm \u202etxt.exe", "rm \\u{202E}txt.exe", "bidi"],
    ["pay\u200bpal", "pay\\u{200B}pal", "zero_width"],
    ["a\u{e0041}b", "a\\u{E0041}b", "tag"],
    ["a\u{e0100}b", "a\\u{E0100}b", "variation_selector"],
    ["a\u3164b", "a\\u{3164}b", "invisible"],
    ["a\u115fb", "a\\u{115F}b", "invisible"],
    ["a\u00adb", "a\\u{AD}b", "invisible"],
    ["a\u001b[31mb", "a\\u{1B}[31mb", "control"],
    ["a\u009bb", "a\\u{9B}b", "control"],
    ["a\u2028b", "a\\u{2028}b", "line_break"],
    ["a\u00a0b", "a\\u{A0}b", "space"],
    ["a\u2800b", "a\\u{2800}b", "space"],
    ["a\ue000b", "a\\u{E000}b", "private_use"],
    ["a\u0378b", "a\\u{378}b", "unassigned"],
    ["a\ud800b", "a\\u{D800}b", "surrogate"],
    ["a\rb", "a␍b", "line_break"],
  ])("%j is shown as %s", (text, shown, kind) => {
    expect(revealString(text)).toBe(shown);
    expect(reveal(text).segments[1]?.hidden?.kind ?? reveal(text).segments[0]?.hidden?.kind).toBe(kind);
    expect(hiddenIn(text)).toBe(1);
  });

  test("padding is one segment that says how much", () => {
    const { segments, hidden } = reveal(`ok${"\u00a0".repeat(5000)}danger`);
    expect(segments).toHaveLength(3);
    expect(segments[1]?.hidden).toEqual({
      codePoint: 0xa0,
      count: 5000,
      kind: "space",
      shown: "\\u{A0}×5000",
      name: "NO-BREAK SPACE",
    });
    expect(hidden).toBe(5000);
  });

  test("marks piled on one letter are shown from the fifth on", () => {
    expect(hiddenIn(`e${"\u0301".repeat(4)}`)).toBe(0);
    expect(hiddenIn(`e${"\u0301\u0302".repeat(50)}`)).toBe(96);
    expect(reveal(`e${"\u0301".repeat(9)}`).segments[1]?.hidden).toMatchObject({ kind: "combining", count: 5 });
  });

  test("line ends of Windows are shown and not counted, a lone return is", () => {
    expect(revealString("a\r\nb\r\n")).toBe("a␍\nb␍\n");
    expect(hiddenIn("a\r\nb\r\n")).toBe(0);
    expect(hiddenIn("safe\rdanger")).toBe(1);
    expect(hiddenIn("safe\r\r\r\n")).toBe(2);
  });

  test("the segments joined are the text, for any text", () => {
    const anything = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          "a",
          "\r",
          "\n",
          "\u202e",
          "\u00a0",
          "\u200d",
          "\ufe0f",
          "😀",
          "❤",
          "1",
          "\u20e3",
          "\u0301",
          "\ud800",
          "👩",
          "🏽",
          "🏴",
          "\u{e0067}",
          "\u{e007f}",
        ),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(anything, (text) => {
        const { segments, hidden } = reveal(text);
        expect(segments.map((segment) => segment.text).join("")).toBe(text);
        const runs = segments.flatMap((segment) => (segment.hidden === undefined ? [] : [segment.hidden]));
        expect(runs.reduce((sum, run) => sum + run.count, 0)).toBeGreaterThanOrEqual(hidden);
        expect(segments.every((segment) => segment.text !== "")).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test("a megabyte costs time in proportion to its length, however nasty", () => {
    const started = performance.now();
    for (const unit of [
      "a",
      "\r\n",
      "\u202e\u200b",
      "\u00a0",
      "👩‍",
      "1\ufe0f",
      "e\u0301\u0302\u0303\u0304\u0305\u0306",
      "🏴\u{e0067}",
    ]) {
      reveal(unit.repeat(Math.ceil(1_000_000 / unit.length / 8)));
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  }, 20_000);
});

describe("ordinary text raises no alarm (N26, G8)", () => {
  test.each([
    "❤️",
    "❤",
    "☎️",
    "☎︎",
    "⚡️",
    "©️",
    "™️",
    "😀",
    "👍🏽",
    "1️⃣",
    "#️⃣",
    "🇩🇪",
    "🏳️‍🌈",
    "🏴‍☠️",
    "👩‍💻",
    "👩🏽‍💻",
    "👨‍👩‍👧‍👦",
    "👁️‍🗨️",
    "🏃‍♀️",
    "🏃🏽‍♂️",
    "🏃‍♀",
    "❤️‍🔥",
    "❤‍🔥",
    "🧑🏿‍❤️‍💋‍🧑🏻",
    "🫱🏻‍🫲🏿",
    "🐻‍❄️",
    "🧑‍🦰",
    "⛹🏽‍♀️",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
  ])("%s", (emoji) => {
    expect(hiddenIn(emoji)).toBe(0);
    expect(hiddenIn(`Gut gemacht ${emoji}${emoji}, weiter so!`)).toBe(0);
  });

  test.each([
    ["a joiner between letters", "pay\u200dpal", 1],
    ["a joiner behind an emoji", "😀\u200d", 1],
    ["a joiner between emoji that make none", "😀\u200d😀", 1],
    ["a selector behind a letter", "a\ufe0f", 1],
    ["a selector behind a digit", "5\ufe0f000", 1],
    ["a second selector", "❤\ufe0f\ufe0f", 1],
    ["a flag that does not exist", "🏴\u{e0078}\u{e0078}\u{e007f}", 3],
    [
      "a message in tags behind a flag",
      `🏴${Array.from("delete")
        .map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0)))
        .join("")}`,
      6,
    ],
  ])("but %s is shown", (_, text, count) => {
    expect(hiddenIn(text)).toBe(count);
  });

  test("less than one in a hundred of 5,000 German texts with emoji is flagged, here none", () => {
    const piece = fc.constantFrom(
      "Straße",
      "Größe",
      "Übung",
      "„Zitat“",
      "‚halb‘",
      "– Gedankenstrich –",
      "…",
      "50 €",
      "3 × 4",
      "§ 12",
      "½",
      "Müller-Lüdenscheidt",
      "Ka\u0308se",
      "\n",
      "\t",
      " ",
      "z. B.",
      "d. h.",
      "№ 5",
      "`code`",
      "👍",
      "👍🏽",
      "❤️",
      "👩‍💻",
      "🏳️‍🌈",
      "1️⃣",
      "🇩🇪",
      "☎️",
      "²",
      "°C",
      "→",
      "✓",
      "|",
      "```",
      "https://example.org/ä?q=1#x",
    );
    const texts = fc.sample(fc.array(piece, { maxLength: 40 }), { numRuns: 5000, seed: 17 });
    expect(texts.filter((parts) => hiddenIn(parts.join(" ")) > 0)).toEqual([]);
    expect(texts.filter((parts) => confusable(parts.join(" ")).length > 0)).toEqual([]);
  });
});

describe("words of mixed alphabets (N26)", () => {
  test.each([
    ["Log in at p\u0430ypal now", ["p\u0430ypal"]],
    ["\u0410dmin", ["\u0410dmin"]],
    ["G\u03bf\u03bfgle and G\u03bf\u03bfgle", ["G\u03bf\u03bfgle"]],
    ["\u0440aypal.example and m\u0456crosoft.com", ["\u0440aypal", "m\u0456crosoft"]],
    ["\u043c\u0438\u0440 and peace", []],
    ["\u03b1\u03b2\u03b3 abc", []],
    ["5 µm, 10 k\u2126? nein", ["k\u2126"]],
    ["Straße, naïve, señor", []],
    ["", []],
  ])("%j -> %j", (text, words) => {
    expect(confusable(text)).toEqual(words);
  });
});
