import { createHash } from "node:crypto";
import { createInflate, inflateSync } from "node:zlib";
import { GitFailure } from "./failure.ts";
import type { GitLimits } from "./limits.ts";

interface Entry {
  /** Bytes of the object, or of the delta. */
  readonly size: number;
  readonly isDelta: boolean;
  /** Where the compressed bytes begin. */
  readonly start: number;
}

const HEADER_BYTES = 12;
const CHECKSUM_BYTES = 20;
const OFS_DELTA = 6;
const REF_DELTA = 7;

/**
 * Looks over a pack before the Git library unpacks it, since the library has no bounds of its own (N67): the frame, how
 * many objects it promises, what each unfolds to, and that a delta rests on an object before it. Keeps nothing.
 * @throws GitFailure `source_protocol` or `source_too_large`.
 */
export const checkPack = async (pack: Buffer, limits: GitLimits): Promise<void> => {
  const count = checkFrame(pack, limits);
  const starts = new Set<number>();
  let spent = 0;
  let at = HEADER_BYTES;
  for (let index = 0; index < count; index += 1) {
    const entry = entryAt(pack, at, starts);
    starts.add(at);
    spent = spend(spent, entry.size, limits);
    const { end, head } = await unfold(pack, entry, limits);
    if (entry.isDelta) spent = spend(spent, deltaResultSize(head), limits);
    at = end;
  }
  if (at !== pack.byteLength - CHECKSUM_BYTES) throw damaged();
};

const checkFrame = (pack: Buffer, limits: GitLimits): number => {
  const body = pack.subarray(0, Math.max(pack.byteLength - CHECKSUM_BYTES, 0));
  if (body.byteLength < HEADER_BYTES || pack.toString("latin1", 0, 4) !== "PACK") throw damaged();
  const checksum = createHash("sha1").update(body).digest();
  if (pack.readUInt32BE(4) !== 2 || !checksum.equals(pack.subarray(body.byteLength))) throw damaged();
  const count = pack.readUInt32BE(8);
  if (count <= limits.maxObjects) return count;
  throw new GitFailure("source_too_large", `The repository has more than ${limits.maxObjects} objects.`);
};

const spend = (spent: number, bytes: number, limits: GitLimits): number => {
  if (spent + bytes <= limits.maxInflatedBytes) return spent + bytes;
  const detail = `The repository unpacks to more than ${limits.maxInflatedBytes} bytes.`;
  throw new GitFailure("source_too_large", detail);
};

const entryAt = (pack: Buffer, offset: number, starts: ReadonlySet<number>): Entry => {
  let at = offset;
  const next = (): number => {
    const value = pack[at];
    if (value === undefined || at >= pack.byteLength - CHECKSUM_BYTES) throw damaged();
    at += 1;
    return value;
  };
  let byte = next();
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  for (let scale = 16; (byte & 0x80) !== 0; scale *= 128) {
    if (scale > 2 ** 46) throw damaged();
    byte = next();
    size += (byte & 0x7f) * scale;
  }
  if (kind === 0 || kind === 5) throw damaged();
  if (kind === REF_DELTA) return { size, isDelta: true, start: at + 20 };
  if (kind !== OFS_DELTA) return { size, isDelta: false, start: at };
  byte = next();
  let distance = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = next();
    distance = (distance + 1) * 128 + (byte & 0x7f);
    if (distance > offset) throw damaged();
  }
  // Only what lies before can be a base, so that no chain of them is a circle.
  if (!starts.has(offset - distance)) throw damaged();
  return { size, isDelta: true, start: at };
};

interface Unfolded {
  /** Where the next entry begins. */
  readonly end: number;
  /** The first unpacked bytes. */
  readonly head: Buffer;
}

const unfold = async (pack: Buffer, entry: Entry, limits: GitLimits): Promise<Unfolded> => {
  const packed = pack.subarray(entry.start, pack.byteLength - CHECKSUM_BYTES);
  try {
    return entry.size > limits.maxObjectBytes ? await inPieces(packed, entry) : atOnce(packed, entry);
  } catch (cause) {
    if (cause instanceof GitFailure) throw cause;
    throw damaged(cause);
  }
};

/** `info` makes Node answer with the engine too, which says how many compressed bytes were used; the types do not know. */
const atOnce = (packed: Buffer, { size, start }: Entry): Unfolded => {
  const chunkSize = Math.min(Math.max(size + 1, 64), 1 << 20);
  const options = { info: true, maxOutputLength: Math.max(size, 1), chunkSize };
  const result: unknown = inflateSync(packed, options);
  if (!isInflated(result) || result.buffer.byteLength !== size) throw damaged();
  return { end: start + result.engine.bytesWritten, head: result.buffer };
};

/** What is too large to hold is only measured. */
const inPieces = async (packed: Buffer, { size, start }: Entry): Promise<Unfolded> => {
  const inflater = createInflate();
  inflater.end(packed);
  let head: Buffer = Buffer.alloc(0);
  let total = 0;
  for await (const part of inflater) {
    const bytes: Buffer = part;
    if (total === 0) head = bytes;
    total += bytes.byteLength;
    if (total > size) throw damaged();
  }
  if (total !== size) throw damaged();
  return { end: start + inflater.bytesWritten, head };
};

/** A delta begins with the size of its base and of what comes out, seven bits a byte, the lowest first. */
const deltaResultSize = (head: Buffer): number => {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = head[at];
      if (byte === undefined || scale > 2 ** 46) throw damaged();
      at += 1;
      value += (byte & 0x7f) * scale;
      if ((byte & 0x80) === 0) return value;
    }
  };
  next();
  return next();
};

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const isInflated = (value: unknown): value is Inflated =>
  typeof value === "object" &&
  value !== null &&
  "buffer" in value &&
  Buffer.isBuffer(value.buffer) &&
  "engine" in value &&
  typeof value.engine === "object" &&
  value.engine !== null &&
  "bytesWritten" in value.engine &&
  typeof value.engine.bytesWritten === "number";

const damaged = (cause?: unknown): GitFailure =>
  new GitFailure("source_protocol", "The server sent a damaged pack.", { cause });
