import type { JsonValue } from "@aiw/contract/tools";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CanonicalError, canonicalize, comparable, readArguments } from "./json.ts";

const codeOf = (text: string): string => {
  const result = readArguments(text);
  return result.ok ? "ok" : result.code;
};

const canonicalOf = (text: string): string => {
  const result = readArguments(text);
  return result.ok ? result.canonical : result.code;
};

/** JSON values the reader accepts, as a model could write them. */
const safeText = fc
  .string({ unit: "binary", maxLength: 12 })
  .filter((text) => text.isWellFormed() && !/[\0\p{Noncharacter_Code_Point}]/u.test(text));
const safeKey = safeText.filter((key) => !["__proto__", "constructor", "prototype"].includes(key));
const safeNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
);
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    safeNumber,
    safeText,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(safeKey, tie("tree"), { maxKeys: 5 }),
  ),
}));
const safeObject = fc.dictionary(safeKey, tree, { maxKeys: 6 });

describe("arguments are read strictly (N24, N25, N43)", () => {
  test.each([
    ['{"amount":5,"amount":5000}', "duplicate_key"],
    ['{"amount":5,"amo\\u0075nt":5000}', "duplicate_key"],
    ['{"a":[{"b":1,"b":1}]}', "duplicate_key"],
    ['{"n":9007199254740993}', "unsafe_number"],
    ['{"n":9007199254740992}', "unsafe_number"],
    ['{"n":-9007199254740992}', "unsafe_number"],
    ['{"n":1e20}', "unsafe_number"],
    ['{"n":1e400}', "unsafe_number"],
    ['{"n":-1e400}', "unsafe_number"],
    ['{"n":1e-400}', "unsafe_number"],
    ['{"n":1e99999999999999999999}', "unsafe_number"],
    ['{"n":0.1000000000000000055511151231257827}', "unsafe_number"],
    [`{"n":0.${"0".repeat(200_000)}1}`, "unsafe_number"],
    [`{"n":1${"0".repeat(200_000)}}`, "unsafe_number"],
    ['{"n":NaN}', "not_json"],
    ['{"n":Infinity}', "not_json"],
    ['{"n":-}', "not_json"],
    ['{"n":01}', "not_json"],
    ['{"n":+1}', "not_json"],
    ['{"n":.5}', "not_json"],
    ['{"n":5.}', "not_json"],
    ['{"n":0x10}', "not_json"],
    ['{"n":1}}', "not_json"],
    ['{"n":1,}', "not_json"],
    ['{"n":[1,]}', "not_json"],
    ["{'n':1}", "not_json"],
    ["{n:1}", "not_json"],
    ['{"n":1}//x', "not_json"],
    ['{"n":"a\nb"}', "not_json"],
    ['{"n":"\\x41"}', "not_json"],
    ['{"n":"\\u00g0"}', "not_json"],
    ['{"n":"\\u12', "not_json"],
    ['{"n":"open', "not_json"],
    ['{"n"', "not_json"],
    ["{", "not_json"],
    ["", "not_json"],
    ["   ", "not_json"],
    ["\ufeff{}", "not_json"],
    ["{}\u00a0", "not_json"],
    ['{"n":tru}', "not_json"],
    ["[]", "not_object"],
    ["[{}]", "not_object"],
    ["null", "not_object"],
    ['"{}"', "not_object"],
    ["5", "not_object"],
    ['{"__proto__":{"is_admin":true}}', "forbidden_key"],
    ['{"\\u005f_proto__":1}', "forbidden_key"],
    ['{"a":{"constructor":1}}', "forbidden_key"],
    ['{"a":[{"prototype":1}]}', "forbidden_key"],
    ['{"a":"\\u0000"}', "bad_text"],
    ['{"a\\u0000":1}', "bad_text"],
    ['{"a":"\\ud800"}', "bad_text"],
    ['{"a":"\\udc00\\ud800"}', "bad_text"],
    ['{"a":"\ud800"}', "bad_text"],
    ['{"a":"\\uffff"}', "bad_text"],
    ['{"a":"\ufdd0"}', "bad_text"],
    [`${'{"a":'.repeat(65)}1${"}".repeat(65)}`, "too_deep"],
    [`{"a":${"[".repeat(100)}${"]".repeat(100)}}`, "too_deep"],
    [`{"a":${"[".repeat(500_000)}`, "too_deep"],
    [`{"a":"${"x".repeat(1024 * 1024)}"}`, "too_large"],
  ])("%.60s -> %s", (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  test("64 levels and 1 MiB are still read, sizes count bytes of UTF-8", () => {
    expect(codeOf(`${'{"a":'.repeat(64)}1${"}".repeat(64)}`)).toBe("ok");
    expect(codeOf(`{"a":"${"x".repeat(1024 * 1024 - 8)}"}`)).toBe("ok");
    expect(codeOf(`{"a":"${"ä".repeat(1024 * 512)}"}`)).toBe("too_large");
    expect(readArguments('{"a":1}', { maxBytes: 7 }).ok).toBe(true);
    expect(readArguments('{"a":1}', { maxBytes: 6 }).ok).toBe(false);
    expect(readArguments('{"a":{}}', { maxDepth: 1 })).toMatchObject({ ok: false, code: "too_deep", path: "/a" });
  });

  test("a refusal names the place and quotes no string", () => {
    expect(readArguments('{"list":[0,{"a/b~":"secret","a/b~":"secret"}]}')).toEqual({
      ok: false,
      code: "duplicate_key",
      message: "the same member name appears twice",
      path: "/list/1/a~1b~0",
    });
  });

  test("objects carry no prototype and cannot be changed afterwards (M3)", () => {
    const result = readArguments('{"toString":1,"a":{"b":[1]}}');
    if (!result.ok) throw new Error(result.message);
    expect(Object.getPrototypeOf(result.value)).toBeNull();
    expect(Object.isFrozen(result.value)).toBe(true);
    expect(Object.isFrozen(result.value["a"])).toBe(true);
    expect(result.value["toString"]).toBe(1);
    expect(result.value["valueOf"]).toBeUndefined();
  });

  test("nothing is coerced: text that looks like a number stays text (N43)", () => {
    expect(canonicalOf('{"n":"5","b":"true","z":null}')).toBe('{"b":"true","n":"5","z":null}');
  });

  test("10,000 members are read and sorted", () => {
    const text = `{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":${i}`).join(",")}}`;
    expect(canonicalOf(text)).toBe(canonicalize(JSON.parse(text)));
  });

  test("whatever JSON.parse refuses is refused, and what is accepted means the same", () => {
    const noise = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .array(fc.constantFrom("{", "}", "[", "]", '"a"', ":", ",", "1", "-0", "1e5", "null", "\\u0041", '"', " "))
        .map((parts) => parts.join("")),
      safeObject.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(noise, (text) => {
        const result = readArguments(text);
        if (!result.ok) return;
        expect(canonicalize(JSON.parse(text))).toBe(result.canonical);
      }),
      { numRuns: 2000 },
    );
  });

  test("every safe object is accepted with its meaning kept", () => {
    fc.assert(
      fc.property(safeObject, fc.constantFrom(0, 1, "\t"), (value, indent) => {
        const result = readArguments(JSON.stringify(value, null, indent));
        if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
        expect(result.canonical).toBe(canonicalize(value));
        expect(JSON.parse(result.canonical)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("one text for one meaning (RFC 8785, APR-2, N23)", () => {
  test("numbers take the ECMAScript form", () => {
    expect(canonicalOf('{"a":1.10,"b":1E2,"c":-0,"d":0.30000000000000004,"e":1e-7,"f":-0.0e5,"g":1.0}')).toBe(
      '{"a":1.1,"b":100,"c":0,"d":0.30000000000000004,"e":1e-7,"f":0,"g":1}',
    );
  });

  test("members are ordered by UTF-16 code units, integer-like names as text", () => {
    const text = '{"10":0,"9":0,"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}';
    expect(canonicalOf(text)).toBe('{"\\r":2,"1":4,"10":0,"9":0,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  test("strings are escaped only where JSON demands it", () => {
    expect(canonicalOf('{"s":"\\u20ac$\\u000f\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"}')).toBe(
      '{"s":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("reading the canonical text gives the canonical text again", () => {
    fc.assert(
      fc.property(safeObject, (value) => {
        const once = canonicalize(value);
        expect(canonicalOf(once)).toBe(once);
        expect(canonicalize(JSON.parse(once))).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  test("the order of members never matters", () => {
    const shuffled = safeObject.chain((value) =>
      fc
        .shuffledSubarray(Object.entries(value), { minLength: Object.keys(value).length })
        .map((entries) => ({ value, entries })),
    );
    fc.assert(
      fc.property(shuffled, ({ value, entries }) => {
        const text = `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`).join(",")}}`;
        expect(canonicalOf(text)).toBe(canonicalize(value));
        expect(comparable(JSON.parse(text))).toBe(comparable(value));
      }),
    );
  });

  test("what is not JSON has no canonical form", () => {
    const cycle: { [key: string]: JsonValue } = {};
    cycle["self"] = cycle;
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "\ud800", { "\udc00": 1 }, cycle]) {
      expect(() => canonicalize(value)).toThrow(CanonicalError);
    }
    expect(() => canonicalize(JSON.parse("[]", () => undefined))).toThrow(CanonicalError);
  });

  test("comparing looks through Unicode form, the executed text does not (F55)", () => {
    const composed = { "k\u00e4se": "M\u00fcller" };
    const decomposed = { "ka\u0308se": "Mu\u0308ller" };
    expect(comparable(composed)).toBe(comparable(decomposed));
    expect(canonicalize(composed)).not.toBe(canonicalize(decomposed));
    expect(comparable({ "\u00e4": 1, "a\u0308": 2 })).toBe(comparable({ "a\u0308": 2, "\u00e4": 1 }));
    expect(comparable({ "\u00e4": 1, "a\u0308": 2 })).not.toBe(comparable({ "\u00e4": 2, "a\u0308": 1 }));
  });
});
