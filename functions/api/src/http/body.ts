import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import { readArguments } from "@aiw/policy/json";

const MAX_BYTES = 1_048_576;
/** What is still taken, and thrown away, of a body that is too large: most clients read the answer only after all is sent. */
const MAX_DISCARDED_BYTES = 64 * 1_048_576;
const MAX_DISCARD_MS = 5_000;

/**
 * The JSON object of a request body, at most 1 MiB, counted as it arrives and not as it is announced (N21). Read as strictly
 * as what a model sends (N24, N25, N43): a member named twice, digits that would be lost, names of a prototype, text that no
 * database holds are refused, so that what is checked is what was sent.
 * @throws Problem unsupported_media_type | body_too_large | bad_request | unknown_field
 */
export async function readJson(request: Request): Promise<JsonObject> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new Problem("unsupported_media_type");
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
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > MAX_BYTES) return tooLarge(reader);
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > MAX_BYTES) return tooLarge(reader);
    chunks.push(part.value);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem("bad_request", { fields: { body: "not_utf8" } });
  }
}

/**
 * Takes the rest, within bounds and keeping none of it, so that the refusal is read instead of a broken connection (N21).
 * @throws Problem body_too_large, always
 */
async function tooLarge(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<never> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => undefined);
  }, MAX_DISCARD_MS);
  let size = 0;
  try {
    for (let part = await reader.read(); !part.done && !late; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > MAX_DISCARDED_BYTES) break;
    }
  } catch {
    // Whoever sent it went away; there is nobody to tell.
  } finally {
    clearTimeout(timer);
  }
  throw new Problem("body_too_large");
}
