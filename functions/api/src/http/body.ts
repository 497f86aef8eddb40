import { Problem } from "@aiw/contract/problem";

const MAX_BYTES = 1_048_576;

/**
 * The JSON of a request body, at most 1 MiB, counted as it arrives and not as it is announced (N21).
 * @throws Problem unsupported_media_type | body_too_large | bad_request
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new Problem("unsupported_media_type");
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > MAX_BYTES) throw new Problem("body_too_large");
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("bad_request", { fields: { body: "not_json" } });
  }
}

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
