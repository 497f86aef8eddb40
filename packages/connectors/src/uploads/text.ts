import type { UploadFault } from "@aiw/contract/uploads";

export type Decoded =
  | { readonly ok: true; readonly text: string; readonly encoding: string }
  | { readonly ok: false; readonly fault: UploadFault };

const bad = (code: UploadFault["code"]): Decoded => ({ ok: false, fault: { code } });

/** What a file that is no text begins with: archives, Parquet, databases, PDF, old Office. */
const MAGIC: readonly string[] = ["504b0304", "1f8b", "28b52ffd", "50415231", "53514c69746520", "25504446", "d0cf11e0"];
const SAMPLE = 8192;

/** Text of a CSV file: UTF-8 or UTF-16 by its mark or its content, otherwise Windows-1252 (UPL-1, M16, M17). */
export const decode = (bytes: Uint8Array): Decoded => {
  if (bytes.length === 0) return bad("upload_empty");
  const head = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  if (MAGIC.some((magic) => head.startsWith(magic)) || head.slice(16, 24) === "4455434b")
    return bad("upload_other_type");
  const wide = wideEncoding(bytes);
  if (wide === null && bytes.includes(0)) return bad("upload_not_text");
  for (const encoding of wide === null ? ["utf-8", "windows-1252"] : [wide]) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
      return text.includes("\0") ? bad("upload_not_text") : { ok: true, text, encoding };
    } catch {
      // Not in this one.
    }
  }
  return bad("upload_not_text");
};

/** UTF-16 by its byte order mark, or by zeros in every other byte of its beginning. */
const wideEncoding = (bytes: Uint8Array): string | null => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const zeros = [0, 0];
  const sample = bytes.subarray(0, SAMPLE);
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = sample.length * 0.3;
  if (odd > most && even === 0) return "utf-16le";
  return even > most && odd === 0 ? "utf-16be" : null;
};
