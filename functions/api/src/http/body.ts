import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import { readArguments } from "@aiw/policy/json";

const MAX_BYTES = 1_048_576;

/**
 * The JSON object of a request body, at most 1 MiB, counted as it arrives and not as it is announced (N21). Read as strictly
 * as what a model sends (N24, N25, N43): a member named twice, digits that would be lost, names of a prototype, text that no
 * database holds are refused, so that what is checked is what was sent.
 * @throws Problem unsupported_media_type | body_too_large | bad_request | unknown_field
 */
export async function readJson(request: Request): Promise<JsonObject> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new Problem("unsupported_media_type");
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > MAX_BYTES) throw new Problem("body_too_large");
  const read = readArguments(await readText(request), { maxBytes: MAX_BYTES });
  if (read.ok) return read.value;
  const field = fieldOf(read.path);
  if (read.code === "forbidden_key") throw new Problem("unknown_field", { fields: { [field]: "unknown" } });
  throw new Problem("bad_request", { fields: { [field]: read.code } });
}

/** The place as a form names it; names of the input only where they look like those of a field (SEC-5). */
const fieldOf = (pointer = ""): string => pointer.split("/").slice(1).map(fieldName).join(".") || "body";

/** A key of the input, if it looks like the name of a field. */
export const fieldName = (key: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]{0,39}$/.test(key) && key !== "__proto__" ? key : "other";

async function readText(request: Request): Promise<string> {
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Problem("body_too_large");
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem("bad_request", { fields: { body: "not_utf8" } });
  }
}
