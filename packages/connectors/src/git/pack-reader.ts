import { createHash } from "node:crypto";
import { createInflate, inflateSync } from "node:zlib";
import { applyDelta, deltaResultSize } from "./delta.ts";
import { GitFailure } from "./failure.ts";
import type { GitLimits } from "./limits.ts";
import { oidOf, type ObjectType } from "./objects.ts";

/** An object of a pack. `data` is null for what is too large to be held; it is there, but cannot be read. */
export interface PackedObject {
  readonly type: ObjectType;
  readonly size: number;
  readonly data: Buffer | null;
}

interface Entry {
  readonly type: ObjectType | "ofs-delta" | "ref-delta";
  readonly size: number;
  /** Where the compressed bytes begin. */
  readonly start: number;
  readonly baseOffset: number;
  readonly baseOid: string;
}

const WHOLE: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
/** Objects between two pauses, so that a large pack does not hold up the process. */
const PAUSE_EVERY = 400;
const MAX_ROUNDS = 300;

/**
 * Unpacks what a server sent, in memory and within the limits (N67): a pack that promises or unfolds more than allowed,
 * has a delta that leads nowhere or in a circle, or a wrong checksum, is refused before it can do harm.
 * @throws GitFailure `source_protocol` or `source_too_large`.
 */
export const readPack = async (
  pack: Buffer,
  limits: GitLimits,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PackedObject>> => new PackReader(pack, limits, signal).read();

class PackReader {
  private readonly pack: Buffer;
  private readonly limits: GitLimits;
  private readonly signal: AbortSignal;
  private readonly objects = new Map<string, PackedObject>();
  private readonly byOffset = new Map<number, PackedObject>();
  private spent = 0;
  private steps = 0;

  constructor(pack: Buffer, limits: GitLimits, signal: AbortSignal) {
    this.pack = pack;
    this.limits = limits;
    this.signal = signal;
  }

  async read(): Promise<ReadonlyMap<string, PackedObject>> {
    const count = this.checkFrame();
    const deltas = new Map<number, Entry>();
    let at = 12;
    for (let index = 0; index < count; index += 1) {
      await this.pause();
      const offset = at;
      const entry = this.entryAt(offset);
      if (entry.type === "ofs-delta" || entry.type === "ref-delta") {
        deltas.set(offset, entry);
        at = await this.skip(entry);
      } else {
        at = await this.take(offset, entry, entry.type);
      }
    }
    if (at !== this.pack.byteLength - 20) throw damaged();
    await this.resolve(deltas);
    return this.objects;
  }

  private checkFrame(): number {
    const { pack } = this;
    if (pack.byteLength < 32 || pack.toString("latin1", 0, 4) !== "PACK" || pack.readUInt32BE(4) !== 2) throw damaged();
    const body = pack.subarray(0, pack.byteLength - 20);
    if (
      !createHash("sha1")
        .update(body)
        .digest()
        .equals(pack.subarray(pack.byteLength - 20))
    )
      throw damaged();
    const count = pack.readUInt32BE(8);
    if (count > this.limits.maxObjects) {
      throw new GitFailure("source_too_large", `The repository has more than ${this.limits.maxObjects} objects.`);
    }
    return count;
  }

  private entryAt(offset: number): Entry {
    let at = offset;
    const next = (): number => {
      const value = this.pack[at];
      if (value === undefined || at >= this.pack.byteLength - 20) throw damaged();
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
    const whole = WHOLE[kind];
    if (whole !== undefined) return { type: whole, size, start: at, baseOffset: 0, baseOid: "" };
    if (kind === 7) {
      const baseOid = this.pack.toString("hex", at, at + 20);
      return { type: "ref-delta", size, start: at + 20, baseOffset: 0, baseOid };
    }
    if (kind !== 6) throw damaged();
    byte = next();
    let distance = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = next();
      distance = (distance + 1) * 128 + (byte & 0x7f);
      if (distance > offset) throw damaged();
    }
    return { type: "ofs-delta", size, start: at, baseOffset: offset - distance, baseOid: "" };
  }

  /** Keeps a whole object; answers where the next entry begins. */
  private async take(offset: number, entry: Entry, type: ObjectType): Promise<number> {
    if (entry.size > this.limits.maxObjectBytes) return this.passOver(offset, entry, type);
    const { data, end } = this.inflate(entry);
    this.keep(offset, type, data);
    return end;
  }

  private keep(offset: number, type: ObjectType, data: Buffer): void {
    this.record(offset, oidOf(type, data), { type, size: data.byteLength, data });
  }

  private record(offset: number, oid: string, object: PackedObject): void {
    this.byOffset.set(offset, object);
    this.objects.set(oid, object);
  }

  /** Reads through an object that is too large to hold, only to know its id and where it ends. */
  private async passOver(offset: number, entry: Entry, type: ObjectType): Promise<number> {
    const hash = createHash("sha1").update(`${type} ${entry.size}\0`);
    const end = await this.stream(entry, (part) => void hash.update(part));
    this.record(offset, hash.digest("hex"), { type, size: entry.size, data: null });
    return end;
  }

  private async skip(entry: Entry): Promise<number> {
    if (entry.size > this.limits.maxObjectBytes) return this.stream(entry, () => undefined);
    return this.inflate(entry).end;
  }

  private inflate(entry: Entry): { data: Buffer; end: number } {
    this.spend(entry.size);
    try {
      const { buffer, engine } = inflate(this.pack.subarray(entry.start), entry.size);
      if (buffer.byteLength !== entry.size) throw damaged();
      return { data: buffer, end: entry.start + engine.bytesWritten };
    } catch (cause) {
      if (cause instanceof GitFailure) throw cause;
      throw damaged(cause);
    }
  }

  private async stream(entry: Entry, onPart: (part: Buffer) => void): Promise<number> {
    this.spend(entry.size);
    const inflater = createInflate();
    inflater.end(this.pack.subarray(entry.start, this.pack.byteLength - 20));
    let size = 0;
    try {
      for await (const part of inflater) {
        const bytes: Buffer = part;
        size += bytes.byteLength;
        if (size > entry.size) throw damaged();
        this.signal.throwIfAborted();
        onPart(bytes);
      }
    } catch (cause) {
      if (cause instanceof GitFailure || this.signal.aborted) throw cause;
      throw damaged(cause);
    }
    if (size !== entry.size) throw damaged();
    return entry.start + inflater.bytesWritten;
  }

  /** Deltas in as many rounds as their chains are deep; a round without progress means a missing base or a circle. */
  private async resolve(deltas: Map<number, Entry>): Promise<void> {
    for (let round = 0; deltas.size > 0; round += 1) {
      const before = deltas.size;
      for (const [offset, entry] of deltas) {
        await this.pause();
        const base = entry.type === "ofs-delta" ? this.byOffset.get(entry.baseOffset) : this.objects.get(entry.baseOid);
        if (base === undefined) continue;
        this.rebuild(offset, entry, base);
        deltas.delete(offset);
      }
      if (deltas.size === before || round > MAX_ROUNDS) throw damaged();
    }
  }

  private rebuild(offset: number, entry: Entry, base: PackedObject): void {
    // What rests on an object that is not held cannot be held either: known by its place only, its id stays unknown.
    if (base.data === null || entry.size > this.limits.maxObjectBytes) {
      this.byOffset.set(offset, { type: base.type, size: entry.size, data: null });
      return;
    }
    const delta = this.inflate(entry).data;
    const size = deltaResultSize(delta);
    if (size > this.limits.maxObjectBytes) {
      this.byOffset.set(offset, { type: base.type, size, data: null });
      return;
    }
    this.spend(size);
    this.keep(offset, base.type, applyDelta(base.data, delta, this.limits.maxObjectBytes));
  }

  private spend(bytes: number): void {
    this.spent += bytes;
    if (this.spent > this.limits.maxInflatedBytes) {
      throw new GitFailure(
        "source_too_large",
        `The repository unpacks to more than ${this.limits.maxInflatedBytes} bytes.`,
      );
    }
  }

  private async pause(): Promise<void> {
    this.steps += 1;
    if (this.steps % PAUSE_EVERY !== 0) return;
    this.signal.throwIfAborted();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** `info` makes Node answer with the engine too, which says how many compressed bytes were used; the types do not know. */
const inflate = (bytes: Buffer, size: number): Inflated => {
  const options = {
    info: true,
    maxOutputLength: Math.max(size, 1),
    chunkSize: Math.min(Math.max(size + 1, 64), 1 << 20),
  };
  const result: unknown = inflateSync(bytes, options);
  if (!isInflated(result)) throw damaged();
  return result;
};

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
