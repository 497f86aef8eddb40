import type { DecodedOf, Endpoint, EndpointName } from "@aiw/contract/api";
import { Problem } from "@aiw/contract/problem";
import { fieldName as known, readJson } from "./body.ts";

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/** Path parameters. Malformed ids are answered exactly like ids of nothing (N1). @throws Problem not_found */
export function decodeParams(endpoint: Endpoint, raw: Readonly<Record<string, string>>): unknown {
  if (endpoint.params === undefined) return undefined;
  const parsed = endpoint.params.safeParse(
    Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, spelling(key, value)])),
  );
  if (!parsed.success) throw new Problem("not_found");
  return parsed.data;
}

/** Ids are compared as text in places; a UUID has one spelling. */
const spelling = (key: string, value: string): string =>
  key.endsWith("Id") && key !== "toolId" ? value.toLowerCase() : value;

/** Query parameters; each at most once. @throws Problem bad_request | unknown_field */
export function decodeQuery(endpoint: Endpoint, url: URL): unknown {
  if (endpoint.query === undefined) return undefined;
  const raw: Record<string, string> = {};
  for (const [key, value] of url.searchParams) {
    if (Object.hasOwn(raw, key)) throw new Problem("bad_request", { fields: { [known(key)]: "repeated" } });
    raw[key] = value;
  }
  requireStorable(raw);
  const parsed = endpoint.query.safeParse(raw);
  if (!parsed.success) throw refusal(parsed.error.issues, raw);
  return parsed.data;
}

/** The JSON body. @throws Problem bad_request | unknown_field | unsupported_media_type | body_too_large */
export async function decodeBody(endpoint: Endpoint, request: Request): Promise<unknown> {
  if (endpoint.body === undefined) return undefined;
  const raw = await readJson(request);
  const parsed = endpoint.body.safeParse(raw);
  if (!parsed.success) throw refusal(parsed.error.issues, raw);
  return parsed.data;
}

/** Text the database cannot hold (NUL, half a surrogate pair) is refused at the door, whatever the parameter. @throws Problem bad_request */
function requireStorable(query: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(query))
    if (value.includes("\u0000") || !value.isWellFormed())
      throw new Problem("bad_request", { fields: { [known(key)]: "bad_text" } });
}

/** What the schemas of this endpoint made, under the types the contract gives them. */
export const decoded = <N extends EndpointName>(params: unknown, query: unknown, body: unknown): DecodedOf<N> =>
  ({ params, query, body }) as DecodedOf<N>;

/** Field -> code of the fault; values of the input are never repeated (SEC-5). */
function refusal(issues: readonly Issue[], raw: unknown): Problem {
  const unknownKeys = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? (issue.keys ?? []) : []));
  if (unknownKeys.length > 0) {
    return new Problem("unknown_field", {
      fields: Object.fromEntries(unknownKeys.slice(0, 20).map((key) => [known(key), "unknown"])),
    });
  }
  return new Problem("bad_request", {
    fields: Object.fromEntries(
      issues.slice(0, 20).map((issue) => [issue.path.map(String).join(".") || "body", faultOf(issue, raw)]),
    ),
  });
}

function faultOf(issue: Issue, raw: unknown): string {
  if (issue.code === "invalid_type" || issue.code === "invalid_value")
    return isMissing(issue.path, raw) ? "required" : "invalid";
  if (issue.code === "custom") return /^[a-z_]{1,40}$/.test(issue.message) ? issue.message : "invalid";
  return issue.code === "too_small" || issue.code === "too_big" ? issue.code : "invalid";
}

function isMissing(path: readonly PropertyKey[], raw: unknown): boolean {
  const value = path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined),
    raw,
  );
  return value === undefined;
}
