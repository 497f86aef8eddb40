import type { JsonValue } from "@aiw/contract/tools";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStreamRedactor, REDACTED, redactor } from "./redact.ts";

describe("sensitive values are masked (APR-10)", () => {
  test.each([
    ["code 123456 ok", ["123456"], "code [REDACTED] ok"],
    ["abcd", ["abc", "bcd"], "[REDACTED]"],
    ["abcabc", ["abc"], "[REDACTED][REDACTED]"],
    ["aaa", ["aa"], "[REDACTED]"],
    ["password and pass", ["pass", "password"], "[REDACTED] and [REDACTED]"],
    ["a.c axc", ["a.c"], "[REDACTED] axc"],
    ["nothing", ["", "x"], "nothing"],
    ["nothing", [], "nothing"],
    ["000123 and 123", ["000123"], "[REDACTED] and 123"],
    ["$& $1", ["$&"], "[REDACTED] $1"],
  ])("%s without %j -> %s", (text, values, expected) => {
    expect(redactor(values).text(text)).toBe(expected);
  });

  test("also inside JSON text, and JSON text inside JSON text", () => {
    const secret = 'a"b\\c\nd';
    const once = JSON.stringify({ secret });
    const twice = JSON.stringify({ args: once });
    expect(redactor([secret]).text(once)).toBe('{"secret":"[REDACTED]"}');
    expect(redactor([secret]).text(twice)).toBe('{"args":"{\\"secret\\":\\"[REDACTED]\\"}"}');
  });

  test("in every string, member name and equal number of a tree, which itself stays as it was", () => {
    const input: JsonValue = {
      "k hush": 1,
      list: ["hush", 42, 421, null, true, { deep: "a hush b" }],
      "k [REDACTED]": 2,
    };
    const before = JSON.stringify(input);
    const output = redactor(["hush", "42"]).json(input);
    expect(JSON.parse(JSON.stringify(output))).toEqual({
      "k [REDACTED]": 1,
      list: [REDACTED, REDACTED, 421, null, true, { deep: "a [REDACTED] b" }],
      "k [REDACTED] (2)": 2,
    });
    expect(JSON.stringify(input)).toBe(before);
  });

  test("no prototype is touched by a member name", () => {
    const output = redactor(["x"]).json(JSON.parse('{"__proto__":{"is_admin":true}}'));
    expect(JSON.stringify(output)).toBe('{"__proto__":{"is_admin":true}}');
    expect(Object.getPrototypeOf(output)).toBeNull();
  });
});

describe("a stream is masked wherever it is cut (APR-10)", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", '"'), maxLength: 30 });
  const values = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c", '"'), minLength: 1, maxLength: 5 }), {
    maxLength: 4,
  });

  test("the joined output is that of the whole text", () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 8 }), values, (chunks, secrets) => {
        const stream = createStreamRedactor(secrets);
        const output = chunks.map((chunk) => stream.push(chunk)).join("") + stream.end();
        expect(output).toBe(redactor(secrets).text(chunks.join("")));
      }),
      { numRuns: 5000 },
    );
  });

  test("nothing of a value is ever passed on, one character at a time", () => {
    const stream = createStreamRedactor(["topsecret"]);
    const passed = Array.from("so topsecret it is, topsecre").map((char) => stream.push(char));
    expect(passed.join("")).toBe("so [REDACTED] it is, ");
    expect(stream.end()).toBe("topsecre");
  });

  test("a value that repeats without end holds nothing back but its own length", () => {
    const stream = createStreamRedactor(["aa"]);
    let length = 0;
    for (let n = 0; n < 10_000; n += 1) length += stream.push("a").length;
    expect(length).toBe(REDACTED.length);
    expect(stream.end()).toBe("");
  });
});
