import { GatewayAnswerError, readFault } from "./fault.ts";

export type Fetch = typeof globalThis.fetch;

/** Enough of an error body to understand it; the rest is not read. */
const MAX_BODY_BYTES = 65_536;

/**
 * The one place where a gateway's HTTP answer is seen before the SDK reads it. Failed answers and answers that are no
 * stream become a GatewayAnswerError with body and headers, because the SDK drops both in several dialects. Redirects
 * are not followed: the key belongs to one address.
 */
export function gatewayFetch(inner: Fetch): Fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: "manual" });
    // Written by the SDK's own JSON: inside a text of the conversation the quotes would be escaped.
    const wantsStream = typeof init?.body === "string" && init.body.includes('"stream":true');
    if (response.ok && !(wantsStream && isDocument(response))) return response;
    const fault = readFault({ status: response.status, rawBody: await readSome(response), headers: response.headers });
    throw new GatewayAnswerError(fault, response.ok);
  };
}

/** Only types that can never be a stream; some gateways leave the type out or send `text/plain`. */
function isDocument(response: Response): boolean {
  return /^\s*(application\/(problem\+)?json|text\/html)\b/i.test(response.headers.get("content-type") ?? "");
}

async function readSome(response: Response): Promise<string> {
  if (!response.body) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= MAX_BODY_BYTES) break;
    }
  } catch {
    // A body that breaks off still has its status and its beginning.
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString("utf8");
}
