import type { Random } from "./random.ts";

/** Everything that hides in plain text (N26), but for what the JSON reader refuses anyway. */
const HIDES = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Every character a person cannot see, by Unicode property (spec 70, G8). */
export const HIDDEN: readonly string[] = Array.from({ length: 0x11_00_00 }, (_, code) => code)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code))
  .filter((char) => HIDES.test(char));

const WORDS =
  "Rechnung Müller Straße 100 total >= > < & ' \" \\ / </pre><script> ✅ approved {{x}} ${x} %00 \\u202e null true -1 日本 привет pаypal 👍🏽 👨‍👩‍👧 ❤️ é é".split(
    " ",
  );
const NUMBERS =
  "0 -0 1 -1 1.10 1.1 1E2 1e2 0.1 0.2 0.30000000000000004 9007199254740991 -9007199254740991 1e21 5e-324 123456789.125 100.0 1e-7 2.5e+3".split(
    " ",
  );
const NAMES = "a b z A amount text to toString hasOwnProperty valueOf length 0 10 9 ä key with.dots".split(" ");

const text = (random: Random): string => {
  const parts = Array.from({ length: random.below(6) }, () => {
    const kind = random.below(10);
    if (kind < 5) return random.pick(WORDS);
    if (kind === 5) return random.pick(HIDDEN).replace("\0", "\u0001");
    if (kind === 6) return String.fromCodePoint(0x20 + random.below(0x2f_00));
    if (kind === 7) return "\n".repeat(1 + random.below(4));
    if (kind === 8) return "\u00a0".repeat(1 + random.below(40));
    return " ";
  });
  return random.chance(0.002) ? parts.join("").repeat(500) : parts.join("");
};

/** The text as a JSON string, spelt in one of the many ways there are. */
const spelt = (random: Random, value: string): string => {
  const plain = JSON.stringify(value);
  if (random.chance(0.7)) return plain;
  return plain.replace(/[a-z/\u007f-\uffff]/g, (char, at: number) =>
    plain[at - 1] === "\\" || random.chance(0.6) ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
};

const gap = (random: Random): string => (random.chance(0.8) ? "" : random.pick([" ", "\n", "\t", "  ", "\r\n"]));

const value = (random: Random, depth: number): string => {
  const kind = random.below(depth > 4 ? 6 : 9);
  if (kind < 3) return spelt(random, text(random));
  if (kind === 3) return random.pick(NUMBERS);
  if (kind === 4) return String((random.next() - 0.5) * 10 ** random.below(15));
  if (kind === 5) return random.pick(["true", "false", "null"]);
  if (kind === 6) return object(random, depth + 1);
  if (kind === 7)
    return `[${Array.from({ length: random.below(5) }, () => value(random, depth + 1)).join(`,${gap(random)}`)}]`;
  return `${"[".repeat(random.below(20))}`.replace(/^(\[*)$/, (open: string) => `${open}1${"]".repeat(open.length)}`);
};

const object = (random: Random, depth: number): string => {
  const names = new Set(
    Array.from({ length: random.below(depth === 0 ? 7 : 4) }, () =>
      random.chance(0.8) ? random.pick(NAMES) : text(random),
    ),
  );
  const members = [...names].map(
    (name) => `${spelt(random, name)}${gap(random)}:${gap(random)}${value(random, depth + 1)}`,
  );
  return `{${gap(random)}${members.join(`,${gap(random)}`)}${gap(random)}}`;
};

/** The arguments of a call as a model might write them: any JSON object, in any spelling; some of it not I-JSON (N23 to N25). */
export const argumentText = (random: Random): string => object(random, 0);

const SENTENCES = [
  "Der Rabatt gilt ab einem Bestellwert von 100 €, nicht erst darüber",
  "Bitte prüfen Sie die Änderung an „src/rabatt.ts“ bis Freitag",
  "Größe, Maße und Gewicht: 12,5 cm × 3,0 cm – 450 g",
  "Viele Grüße aus Köln",
  "Das wäre schön! Wann können wir’s ausliefern",
  "const größe = (länge: number): number => länge * 2;",
  "Übertrag 1.234,56 € (inkl. 19 % MwSt.) am 03.12.2026",
  "Naïve café, façade, Señor, Łódź, Ærø, ﬁ",
];
const EMOJI = "👍 👍🏽 ❤️ 🎉 👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 🏴‍☠️ 🇩🇪 🇦🇹 1️⃣ ☀️ ✅ ⚠️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👁️‍🗨️ 🧑‍🚀 ✔️ ™️ ↔️".split(" ");

/** A text as colleagues write it: German, code, emoji, line ends of either kind, tabs, accents composed or not. */
export const ordinaryText = (random: Random): string => {
  const lines = Array.from({ length: 1 + random.below(4) }, () => {
    const words = random.pick(SENTENCES).split(" ");
    const with_ = words.flatMap((word) => (random.chance(0.15) ? [word, random.pick(EMOJI)] : [word]));
    return `${random.chance(0.2) ? "\t" : ""}${with_.join(" ")}${random.chance(0.5) ? "." : ""}`;
  });
  const whole = lines.join(random.chance(0.3) ? "\r\n" : "\n");
  return random.chance(0.1) ? whole.normalize("NFD") : whole;
};
