import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { GitObject, ObjectType } from "./objects.ts";

const TYPE_BITS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** A pack of whole objects, without deltas. */
export const encodePack = (objects: readonly GitObject[]): Buffer => {
  const header = Buffer.alloc(12);
  header.write("PACK", 0, "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([
    header,
    ...objects.flatMap((object) => [entryHeader(object.type, object.data.byteLength), deflateSync(object.data)]),
  ]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
};

const entryHeader = (type: ObjectType, size: number): Buffer => {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  bytes.push((TYPE_BITS[type] << 4) | (size % 16) | (rest > 0 ? 0x80 : 0));
  while (rest > 0) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(low | (rest > 0 ? 0x80 : 0));
  }
  return Buffer.from(bytes);
};
