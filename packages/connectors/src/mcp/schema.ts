import { Validator } from "@cfworker/json-schema";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import type { SkipReason, ToolFinding } from "../connector/index.ts";
import { isArray, isObject, member } from "./json.ts";
import type { McpLimits } from "./limits.ts";
import { isSafePattern } from "./pattern.ts";
import { hasHidden, withoutHidden } from "./visible.ts";

/** Why a schema of a server is not used. */
export class SchemaRefusal extends Error {
  override readonly name = "SchemaRefusal";
  readonly reason: SkipReason;
  constructor(reason: SkipReason) {
    super(reason);
    this.reason = reason;
  }
}

export interface ReadSchema {
  /** A copy with known keywords only; safe to validate with and to show to a model. */
  readonly schema: JsonObject;
  readonly findings: ReadonlySet<ToolFinding>;
}

type Bounds = Pick<McpLimits, "maxSchemaDepth" | "maxSchemaNodes">;

/**
 * Reads a schema of a server into one that validates in bounded time (N42): local references only, none of them recursive,
 * bounded when all are followed, patterns only where their cost is known, no names that touch prototypes.
 * @throws SchemaRefusal
 */
export const readSchema = (raw: JsonObject, bounds: Bounds): ReadSchema => {
  const reader = new SchemaReader(bounds);
  const schema = reader.schema(raw, 0);
  if (!isObject(schema)) throw new SchemaRefusal("schema_not_object");
  assertBounded(raw, reader.positions, bounds.maxSchemaNodes);
  assertUsable(schema);
  return { schema, findings: reader.findings };
};

/** Whatever the validator cannot work with shows here and not in the middle of a run. */
const assertUsable = (schema: JsonObject): void => {
  try {
    new Validator(schema, "2020-12", true).validate({});
  } catch {
    throw new SchemaRefusal("schema_invalid");
  }
};

/** The words of a few lines as one set. */
const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(" ")));

const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
]);
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SINGLES: ReadonlySet<string> = words(
  "items additionalItems additionalProperties unevaluatedItems unevaluatedProperties contains",
  "propertyNames not if then else",
);
const DATA: ReadonlySet<string> = words(
  "type enum const default required dependentRequired format minimum maximum exclusiveMinimum",
  "exclusiveMaximum multipleOf minLength maxLength minItems maxItems minContains maxContains",
  "minProperties maxProperties deprecated readOnly writeOnly",
);
/** Keywords that move what a reference means; a definition that needs them is not understood here. */
const MOVING: ReadonlySet<string> = new Set([
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveRef",
  "$recursiveAnchor",
  "$vocabulary",
]);
/** Read by people or by nobody; not given to a model. */
const SILENT: ReadonlySet<string> = new Set([
  "$schema",
  "$comment",
  "examples",
  "example",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);

const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const MAX_NAME = 128;
/** Nesting when references are followed; a validator goes as deep. */
const MAX_FOLLOWED_DEPTH = 100;
/** Items up to which comparing each with each is cheap. */
const MAX_UNIQUE_ITEMS = 1_000;

class SchemaReader {
  /** Objects that stand where a schema stands; only they may be referred to. */
  readonly positions = new Set<JsonObject>();
  readonly findings = new Set<ToolFinding>();
  private readonly bounds: Bounds;
  private nodes = 0;

  constructor(bounds: Bounds) {
    this.bounds = bounds;
  }

  schema(raw: JsonValue, depth: number): JsonObject | boolean {
    if (typeof raw === "boolean") return raw;
    if (!isObject(raw)) throw new SchemaRefusal("schema_invalid");
    if (depth > this.bounds.maxSchemaDepth) throw new SchemaRefusal("too_deep");
    this.nodes += 1;
    if (this.nodes > this.bounds.maxSchemaNodes) throw new SchemaRefusal("too_complex");
    this.positions.add(raw);
    const entries: [string, JsonValue][] = [];
    for (const key of Object.keys(raw)) {
      const value = this.keyword(key, raw[key] ?? null, raw, depth);
      if (value !== undefined) entries.push([key, value]);
    }
    return Object.fromEntries(entries);
  }

  private keyword(key: string, value: JsonValue, owner: JsonObject, depth: number): JsonValue | undefined {
    if (MAPS.has(key)) return this.map(key, value, depth);
    if (LISTS.has(key)) return this.list(value, depth);
    if (key === "items" && isArray(value)) return this.list(value, depth);
    if (SINGLES.has(key)) return this.schema(value, depth + 1);
    if (DATA.has(key)) return this.data(value, 0);
    if (MOVING.has(key)) throw new SchemaRefusal("remote_reference");
    if (key === "$id" || key === "id") return this.identifier(value, depth);
    if (key === "$ref") return this.reference(value);
    if (key === "pattern") return this.pattern(value);
    if (key === "uniqueItems") return this.uniqueItems(value, owner);
    if (key === "description" || key === "title") return this.words(value);
    if (!SILENT.has(key)) this.findings.add("keyword_dropped");
    return undefined;
  }

  private map(key: string, value: JsonValue, depth: number): JsonObject {
    if (!isObject(value)) throw new SchemaRefusal("schema_invalid");
    const entries = Object.keys(value).map((name): [string, JsonValue] => {
      if (key === "patternProperties") {
        if (!isSafePattern(name)) throw new SchemaRefusal("unsafe_pattern");
      } else assertName(name);
      return [name, this.schema(value[name] ?? null, depth + 1)];
    });
    return Object.fromEntries(entries);
  }

  private list(value: JsonValue, depth: number): JsonValue {
    if (!isArray(value) || value.length === 0) throw new SchemaRefusal("schema_invalid");
    return value.map((item) => this.schema(item, depth + 1));
  }

  /** Values that arguments are compared with; kept exactly or not at all. */
  private data(value: JsonValue, depth: number): JsonValue {
    if (depth > this.bounds.maxSchemaDepth) throw new SchemaRefusal("too_deep");
    if (typeof value === "string" && hasHidden(value)) throw new SchemaRefusal("hidden_characters");
    if (isArray(value)) return value.map((item) => this.data(item, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.keys(value).map((key): [string, JsonValue] => {
        if (FORBIDDEN.has(key)) throw new SchemaRefusal("forbidden_name");
        if (hasHidden(key)) throw new SchemaRefusal("hidden_characters");
        return [key, this.data(value[key] ?? null, depth + 1)];
      }),
    );
  }

  /** A name for the whole document is nothing to us; one inside would change where references lead. */
  private identifier(value: JsonValue, depth: number): undefined {
    if (depth > 0 || typeof value !== "string") throw new SchemaRefusal("remote_reference");
    return undefined;
  }

  private reference(value: JsonValue): JsonValue {
    if (typeof value !== "string") throw new SchemaRefusal("schema_invalid");
    if (value === "#") throw new SchemaRefusal("recursive_reference");
    if (!value.startsWith("#/")) throw new SchemaRefusal("remote_reference");
    return value;
  }

  private pattern(value: JsonValue): JsonValue | undefined {
    if (typeof value !== "string") throw new SchemaRefusal("schema_invalid");
    if (isSafePattern(value)) return value;
    this.findings.add("pattern_dropped");
    return undefined;
  }

  private uniqueItems(value: JsonValue, owner: JsonObject): JsonValue | undefined {
    const most = member(owner, "maxItems");
    return typeof most === "number" && most <= MAX_UNIQUE_ITEMS ? value === true : undefined;
  }

  private words(value: JsonValue): JsonValue | undefined {
    if (typeof value !== "string") return undefined;
    if (hasHidden(value)) this.findings.add("hidden_characters");
    return withoutHidden(value);
  }
}

/** A name stands in the approval's list of arguments, so it may not look like words of the platform. */
const assertName = (name: string): void => {
  if (FORBIDDEN.has(name)) throw new SchemaRefusal("forbidden_name");
  if (hasHidden(name)) throw new SchemaRefusal("hidden_characters");
  if (name === "" || name.length > MAX_NAME || /\s/u.test(name)) throw new SchemaRefusal("name_invalid");
};

/** Follows every reference once and counts what a validator would walk. @throws SchemaRefusal */
const assertBounded = (root: JsonObject, positions: ReadonlySet<JsonObject>, maxNodes: number): void => {
  const sizes = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();
  const sizeOf = (schema: JsonObject, depth: number): number => {
    const known = sizes.get(schema);
    if (known !== undefined) return known;
    if (depth > MAX_FOLLOWED_DEPTH) throw new SchemaRefusal("too_deep");
    if (open.has(schema)) throw new SchemaRefusal("recursive_reference");
    open.add(schema);
    let size = 1;
    for (const child of children(schema)) size += sizeOf(child, depth + 1);
    const ref = member(schema, "$ref");
    if (typeof ref === "string") size += sizeOf(target(root, ref, positions), depth + 1);
    open.delete(schema);
    if (size > maxNodes) throw new SchemaRefusal("too_complex");
    sizes.set(schema, size);
    return size;
  };
  sizeOf(root, 0);
};

const children = (schema: JsonObject): JsonObject[] =>
  Object.keys(schema).flatMap((key) => {
    const value = schema[key] ?? null;
    if (MAPS.has(key) && isObject(value)) return Object.values(value).filter(isObject);
    if ((LISTS.has(key) || key === "items") && isArray(value)) return value.filter(isObject);
    return SINGLES.has(key) && isObject(value) ? [value] : [];
  });

const target = (root: JsonObject, ref: string, positions: ReadonlySet<JsonObject>): JsonObject => {
  let at: JsonValue | undefined = root;
  for (const part of ref.slice(2).split("/")) {
    const key = unescaped(part);
    at =
      at !== undefined && isObject(at)
        ? member(at, key)
        : at !== undefined && isArray(at)
          ? at[Number(key)]
          : undefined;
  }
  if (!isObject(at) || !positions.has(at)) throw new SchemaRefusal("broken_reference");
  return at;
};

const unescaped = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    throw new SchemaRefusal("broken_reference");
  }
};
