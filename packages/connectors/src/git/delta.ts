import { GitFailure } from "./failure.ts";

/** Rebuilds an object from its base and a Git delta. @throws GitFailure `source_protocol` on a delta that does not fit. */
export const applyDelta = (base: Buffer, delta: Buffer, maxBytes: number): Buffer => {
  const cursor = { at: 0 };
  const baseSize = varint(delta, cursor);
  const size = varint(delta, cursor);
  if (baseSize !== base.byteLength || size > maxBytes) throw damaged();
  const out = Buffer.alloc(size);
  let written = 0;
  while (cursor.at < delta.byteLength) {
    const code = byte(delta, cursor);
    if (code === 0) throw damaged();
    const [source, from, length] =
      (code & 0x80) === 0 ? insertion(delta, cursor, code) : copy(base, delta, cursor, code);
    if (from + length > source.byteLength || written + length > size) throw damaged();
    source.copy(out, written, from, from + length);
    written += length;
  }
  if (written !== size) throw damaged();
  return out;
};

/** Size of what a delta makes, without making it. */
export const deltaResultSize = (delta: Buffer): number => {
  const cursor = { at: 0 };
  varint(delta, cursor);
  return varint(delta, cursor);
};

const insertion = (delta: Buffer, cursor: { at: number }, length: number): [Buffer, number, number] => {
  const from = cursor.at;
  cursor.at += length;
  return [delta, from, length];
};

const copy = (base: Buffer, delta: Buffer, cursor: { at: number }, code: number): [Buffer, number, number] => {
  let offset = 0;
  let length = 0;
  for (let bit = 0; bit < 4; bit += 1) if ((code & (1 << bit)) !== 0) offset += byte(delta, cursor) * 2 ** (8 * bit);
  for (let bit = 0; bit < 3; bit += 1) if ((code & (16 << bit)) !== 0) length += byte(delta, cursor) * 2 ** (8 * bit);
  return [base, offset, length === 0 ? 0x10000 : length];
};

const varint = (bytes: Buffer, cursor: { at: number }): number => {
  let value = 0;
  for (let scale = 1; scale < 2 ** 50; scale *= 128) {
    const next = byte(bytes, cursor);
    value += (next & 0x7f) * scale;
    if ((next & 0x80) === 0) return value;
  }
  throw damaged();
};

const byte = (bytes: Buffer, cursor: { at: number }): number => {
  const value = bytes[cursor.at];
  if (value === undefined) throw damaged();
  cursor.at += 1;
  return value;
};

const damaged = (): GitFailure => new GitFailure("source_protocol", "The server sent a damaged pack.");
