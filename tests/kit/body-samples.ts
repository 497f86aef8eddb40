import { randomUUID } from "node:crypto";
import type { Endpoint } from "@aiw/contract/api";

/** JSON Schema of a body, as far as samples and their spoilt versions need it. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
}

/** What the pattern of a schema wants where a plain word will not do. */
const BY_PATTERN: readonly (readonly [RegExp, string])[] = [
  [/64\}\$$/, "a".repeat(64)],
  [/\\\./, "git.read_file"],
  [/40\}\$$/, "a".repeat(40)],
  [/0,39\}\$$/, "orders"],
  [/\\x21/, "sk-0123456789"],
];

const sampleOf = (shape: Shape): unknown => {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.anyOf !== undefined) return sampleOf(shape.anyOf[0] ?? {});
  switch (Array.isArray(shape.type) ? shape.type[0] : shape.type) {
    case "string":
      if (shape.format === "uuid") return randomUUID();
      return (shape.pattern && BY_PATTERN.find(([like]) => like.test(shape.pattern ?? ""))?.[1]) || "Orders";
    case "integer":
    case "number":
      return Math.max(shape.minimum ?? 1, 1);
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: shape.minItems ?? 0 }, () => sampleOf(shape.items ?? {}));
    case "object":
      return Object.fromEntries(
        (shape.required ?? []).map((name) => [name, sampleOf(shape.properties?.[name] ?? {})] as const),
      );
    default:
      return null;
  }
};

/** The JSON types a member may have. */
const typesOf = (shape: Shape): readonly string[] => {
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap(typesOf);
  if (shape.const !== undefined || shape.enum !== undefined)
    return [shape.const, ...(shape.enum ?? [])].map((value) => (value === null ? "null" : typeof value));
  const types = Array.isArray(shape.type) ? shape.type : [shape.type ?? "any"];
  return types.map((type) => (type === "integer" ? "number" : type));
};

const WRONG: Readonly<Record<string, unknown>> = {
  string: "wrong",
  number: 7.5,
  boolean: true,
  null: null,
  array: [["wrong"]],
  object: { wrong: true },
};

export interface Spoilt {
  readonly name: string;
  readonly text: string;
  /** What it has to be answered with. */
  readonly status: 400 | 413;
  readonly code: readonly string[];
}

const MEMBERS = (body: Readonly<Record<string, unknown>>): string =>
  Object.entries(body)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(",");

/** A body that the contract takes, and every way of spoiling it. @throws when no such body can be made from the schema. */
export const spoiltBodies = (
  schema: NonNullable<Endpoint["body"]>,
): { readonly good: string; readonly bad: readonly Spoilt[] } => {
  const shape: Shape = schema.toJSONSchema({ io: "input", unrepresentable: "any" }) as Shape;
  const properties = shape.properties ?? {};
  const required = new Set(shape.required ?? []);
  // Every member is there, so that every one can be spoilt.
  const body = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, sampleOf(member)]));
  const good = JSON.stringify(body);
  const read = schema.safeParse(body);
  if (!read.success) throw new Error(`no sample for this body: ${good} ${read.error.message}`);

  const bad: Spoilt[] = [];
  const add = (name: string, text: string, code: readonly string[] = ["bad_request"], status: 400 | 413 = 400): void =>
    void bad.push({ name, text, status, code });
  const raw = (members: string): string => `{${[MEMBERS(body), members].filter((part) => part !== "").join(",")}}`;

  add("unknown key", raw('"is_admin":true'), ["unknown_field"]);
  for (const [index, [name, member]] of Object.entries(properties).entries()) {
    const rest = Object.fromEntries(Object.entries(body).filter(([other]) => other !== name));
    const others = MEMBERS(rest) === "" ? "" : `,${MEMBERS(rest)}`;
    const key = JSON.stringify(name);
    if (required.has(name)) add(`missing ${name}`, JSON.stringify(rest));
    const types = typesOf(member);
    if (!types.includes("any"))
      for (const [type, value] of Object.entries(WRONG))
        if (!types.includes(type))
          add(`${name} is ${type}`, JSON.stringify({ ...rest, [name]: value }), ["bad_request", "unknown_field"]);
    add(`${name} with U+0000`, `{${key}:"a\\u0000b"${others}}`);
    add(`${name} with half a surrogate pair`, `{${key}:"a\\ud800"${others}}`);
    add(`${name} is 2^53+1`, `{${key}:9007199254740993${others}}`);
    add(`${name} is 1e400`, `{${key}:1e400${others}}`);
    add(`${name} twice`, raw(`${key}:${JSON.stringify(body[name] ?? null)}`));
    if (index === 0)
      add(
        `${name} twice, once escaped`,
        raw(`"\\u${hex(name)}${name.slice(1)}":${JSON.stringify(body[name] ?? null)}`),
      );
    add(`${name} 100 levels deep`, `{${key}:${"[".repeat(100)}1${"]".repeat(100)}${others}}`);
  }
  add("__proto__", raw('"__proto__":{"isPlatformAdmin":true}'), ["unknown_field"]);
  add("__proto__, escaped", raw('"\\u005f_proto__":{"isPlatformAdmin":true}'), ["unknown_field"]);
  add("constructor", raw('"constructor":{"prototype":{"isPlatformAdmin":true}}'), ["unknown_field"]);
  add("unknown key 100 levels deep", raw(`"x":${'{"x":'.repeat(100)}1${"}".repeat(100)}`));
  add("U+0000 in a name", raw('"a\\u0000":1'));
  add("half a surrogate pair in a name", raw('"\\udc00":1'));
  add("too big by blanks", good + " ".repeat(1_048_576), ["body_too_large"], 413);
  add("too big by a text", raw(`"x":"${"x".repeat(1_048_576)}"`), ["body_too_large"], 413);
  for (const [name, text] of Object.entries({
    nothing: "",
    "a list": `[${good}]`,
    null: "null",
    "a text": JSON.stringify(good),
    "a number": "5",
    "two documents": `${good}${good}`,
    "cut off": good.slice(0, -1),
    "a trailing comma": `${good.slice(0, -1)},}`,
    "single quotes": "{'a':1}",
    NaN: raw('"x":NaN'),
    "a comment": `/* */${good}`,
    "a byte order mark": `\ufeff${good}`,
  }))
    add(name, text);
  return { good, bad };
};

const hex = (name: string): string => name.charCodeAt(0).toString(16).padStart(4, "0");
