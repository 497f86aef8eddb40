import { describe, expect, test } from "vitest";
import { codePointName, countDisguised, visibleString, visibleText } from "./visible-text.ts";

/** Selectors behind a pictograph say how it is drawn. */
const drawn = (text: string): boolean => /^👍[\uFE0E\uFE0F]/u.test(text);

describe("hidden characters are made visible (APR-2)", () => {
  test("plain text with tabs, umlauts and emoji stays as it is", () => {
    const text = "\tGröße = 3 // ✓ 日本 привет 🎉";
    expect(visibleText(text)).toEqual([{ text }]);
    expect(visibleText("")).toEqual([]);
  });
  test.each([
    ["bidi override", "a\u202Eb", "a⟨U+202E⟩b"],
    ["bidi isolate", "\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"],
    ["zero width space", "ad\u200Bmin", "ad⟨U+200B⟩min"],
    ["byte order mark", "\uFEFFx", "⟨U+FEFF⟩x"],
    ["soft hyphen", "x\u00ADy", "x⟨U+00AD⟩y"],
    ["carriage return", "x\r", "x⟨U+000D⟩"],
    ["escape", "\u001B[2K", "⟨U+001B⟩[2K"],
    ["line separator", "a\u2028b", "a⟨U+2028⟩b"],
    ["no-break space", "a\u00A0b", "a⟨U+00A0⟩b"],
    ["tag characters", "x\u{E0041}", "x⟨U+E0041⟩"],
    ["Hangul filler", "a\u3164", "a⟨U+3164⟩"],
    ["lone surrogate", "a\uD800b", "a⟨U+D800⟩b"],
  ])("%s", (_name, text, shown) => {
    expect(visibleString(text)).toBe(shown);
  });
  test("a letter of another script inside a Latin word is flagged, whole words of that script are not", () => {
    expect(visibleString("p\u0430th слово")).toBe("p\u0430⟨U+0430⟩th слово");
    expect(visibleText("p\u0430th")[1]?.disguise).toBe("lookalike");
  });
  test("the carriage return of a CR LF is shown without alarm, any other one is marked", () => {
    expect(visibleString("a\r\nb\r\n")).toBe("a␍\nb␍\n");
    expect(countDisguised("a\r\nb\r\n")).toBe(0);
    expect(countDisguised("safe\rdanger")).toBe(1);
    expect(countDisguised("safe\r\r\r\n")).toBe(2);
  });
  test("emoji that exist are drawn, joiners and tags elsewhere are marked", () => {
    for (const text of ["👨‍👩‍👧👍🏽 ❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👩🏽‍💻"]) expect(visibleText(text)).toEqual([{ text }]);
    expect(countDisguised("👍\u200D👍")).toBe(1);
    expect(countDisguised("🏴\u{E0061}\u{E007F}")).toBe(2);
  });
  test("in what people write, blanks and alphabets are theirs; what hides or reorders is marked", () => {
    expect(visibleText("z.\u00A0B. p\u0430th", "hidden")).toEqual([{ text: "z.\u00A0B. p\u0430th" }]);
    expect(visibleString("a\u202Eb\u200B\u0007", "hidden")).toBe("a⟨U+202E⟩b⟨U+200B⟩⟨U+0007⟩");
  });
  test("every character that hides is marked, wherever it stands (N26, G8)", () => {
    const hidden = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
    const missed: string[] = [];
    let seen = 0;
    for (let code = 0; code <= 0x10_ff_ff; code += 1) {
      const char = String.fromCodePoint(code);
      if (!hidden.test(char) || char === "\n" || char === "\t") continue;
      seen += 1;
      for (const marks of ["all", "hidden"] as const)
        for (const text of [`a${char}b`, char, `❤️${char}`, `👍${char}👍`.replace("\u200D👍", "\u200Dx")])
          if (!visibleString(text, marks).includes(`⟨${codePointName(char)}⟩`) && !drawn(text))
            missed.push(codePointName(char));
    }
    expect(seen).toBeGreaterThan(4000);
    expect(missed).toEqual([]);
  });
  test("a run of one character is one mark with its number and counts as many (N26)", () => {
    expect(visibleString(`a${"\u00A0".repeat(5000)}b`)).toBe("a⟨U+00A0⟩×5000b");
    expect(countDisguised(`a${"\u00A0".repeat(5000)}b`)).toBe(5000);
    expect(visibleString("\u200B\u200B")).toBe("⟨U+200B⟩⟨U+200B⟩");
  });
  test("marks piled on one letter are shown from the fifth on, accents are not (N26)", () => {
    expect(visibleText("e\u0301a\u0308")).toEqual([{ text: "e\u0301a\u0308" }]);
    expect(visibleString(`e${"\u0301".repeat(60)}`)).toBe(`e${"\u0301".repeat(4)}⟨U+0301⟩×56`);
  });
  test("the count is the number of marks", () => {
    expect(countDisguised("\u200B\u202Ex\u0000")).toBe(3);
  });
});
