import { GitFailure } from "./failure.ts";

/** A line of the Git wire protocol; `flush` is the empty packet that ends a section. */
export type Packet = { readonly kind: "data"; readonly data: Buffer } | { readonly kind: "flush" };

export const FLUSH: Buffer = Buffer.from("0000");

export const line = (text: string): Buffer => {
  const data = Buffer.from(text);
  return Buffer.concat([Buffer.from((data.byteLength + 4).toString(16).padStart(4, "0")), data]);
};

/** Reads packets one after another. @throws GitFailure `source_protocol` when the bytes are no packets. */
export function* packets(bytes: Buffer): Generator<Packet, void, undefined> {
  let at = 0;
  while (at < bytes.byteLength) {
    const length = packetLength(bytes, at);
    if (length === 0) {
      yield { kind: "flush" };
      at += 4;
      continue;
    }
    if (length < 4 || at + length > bytes.byteLength) throw broken();
    yield { kind: "data", data: bytes.subarray(at + 4, at + length) };
    at += length;
  }
}

export const textOf = (packet: Packet): string =>
  packet.kind === "flush" ? "" : packet.data.toString("utf8").replace(/\n$/, "");

const packetLength = (bytes: Buffer, at: number): number => {
  const head = bytes.toString("latin1", at, at + 4);
  if (!/^[0-9a-fA-F]{4}$/.test(head)) throw broken();
  return Number.parseInt(head, 16);
};

const broken = (): GitFailure => new GitFailure("source_protocol", "The server did not answer as a Git server.");

export interface SideBands {
  readonly data: Buffer;
  /** What the server said to a person (progress, hooks). Untrusted. */
  readonly messages: string;
  /** A fatal error of the server; the data is then not complete. */
  readonly fatal: string | null;
}

/** Parts the three side bands; messages are kept up to 4 KB. */
export const sideBands = (stream: Iterable<Packet>): SideBands => {
  const data: Buffer[] = [];
  let messages = "";
  let fatal: string | null = null;
  for (const packet of stream) {
    if (packet.kind === "flush") break;
    const band = packet.data[0];
    const rest = packet.data.subarray(1);
    if (band === 1) data.push(rest);
    else if (band === 2 && messages.length < 4096) messages += rest.toString("utf8");
    else if (band === 3) fatal = rest.toString("utf8").slice(0, 1000);
    else if (band !== 2) throw broken();
  }
  return { data: Buffer.concat(data), messages: messages.slice(0, 4096), fatal };
};
