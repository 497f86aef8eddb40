import { isIP } from "node:net";

/**
 * What an address is, for the guard on outbound connections (SRC-3):
 * - public: may be reached
 * - loopback, private: only when the admin named host and port
 * - never: metadata, link-local, multicast, reserved, and forms that hide another address inside
 */
export type AddressKind = "public" | "loopback" | "private" | "never";

type Range = readonly [prefix: readonly number[], bits: number, kind: AddressKind];

// IANA special-purpose registries (RFC 6890 and its updates). The first match decides.
const V4_RANGES: readonly Range[] = [
  [[127], 8, "loopback"],
  [[10], 8, "private"],
  [[172, 16], 12, "private"],
  [[192, 168], 16, "private"],
  [[100, 100, 100, 200], 32, "never"], // a metadata service inside the carrier range
  [[100, 64], 10, "private"],
  [[0], 8, "never"],
  [[169, 254], 16, "never"],
  [[192, 0, 0], 24, "never"],
  [[192, 0, 2], 24, "never"],
  [[192, 88, 99], 24, "never"],
  [[198, 18], 15, "never"],
  [[198, 51, 100], 24, "never"],
  [[203, 0, 113], 24, "never"],
  [[168, 63, 129, 16], 32, "never"], // a platform's internal endpoint on a public number
  [[224], 4, "never"],
  [[240], 4, "never"],
];

const V6_RANGES: readonly Range[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback"],
  [[0xfd, 0x00, 0x0e, 0xc2], 32, "never"], // metadata service inside the unique local range
  [[0xfc], 7, "private"],
  [[0x20, 0x01, 0x00, 0x00], 23, "never"], // Teredo, ORCHID and other protocol assignments
  [[0x20, 0x01, 0x0d, 0xb8], 32, "never"],
  [[0x20, 0x02], 16, "never"], // 6to4: holds an IPv4 address
  [[0x3f, 0xff, 0x00], 20, "never"],
  [[0x20], 3, "public"],
  // Everything else is not global unicast: NAT64, IPv4-compatible, link-local, site-local, multicast, unassigned.
  [[], 0, "never"],
];

/** Judges a literal address by its bytes; an IPv4-mapped IPv6 address counts as the IPv4 address inside. */
export function classifyAddress(address: string): AddressKind {
  const bytes = addressBytes(address);
  if (bytes === undefined) return "never";
  if (bytes.length === 4) return match(bytes, V4_RANGES) ?? "public";
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return match(bytes.slice(12), V4_RANGES) ?? "public";
  return match(bytes, V6_RANGES) ?? "never";
}

/** The 4 or 16 bytes of a literal address (without brackets; a zone such as %eth0 is dropped), or undefined. */
export function addressBytes(address: string): number[] | undefined {
  const [literal = ""] = address.split("%");
  const family = isIP(literal);
  if (family === 4) return literal.split(".").map(Number);
  return family === 6 ? v6Bytes(literal) : undefined;
}

function v6Bytes(literal: string): number[] {
  const [head = "", tail] = literal.split("::");
  const before = groupBytes(head);
  const after = tail === undefined ? [] : groupBytes(tail);
  return [...before, ...Array.from({ length: 16 - before.length - after.length }, () => 0), ...after];
}

function groupBytes(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function match(bytes: readonly number[], ranges: readonly Range[]): AddressKind | undefined {
  return ranges.find(([prefix, bits]) => startsWith(bytes, prefix, bits))?.[2];
}

function startsWith(bytes: readonly number[], prefix: readonly number[], bits: number): boolean {
  const whole = Math.floor(bits / 8);
  const rest = bits % 8;
  for (let index = 0; index < whole; index += 1) {
    if (bytes[index] !== (prefix[index] ?? 0)) return false;
  }
  if (rest === 0) return true;
  const mask = (0xff << (8 - rest)) & 0xff;
  return ((bytes[whole] ?? 0) & mask) === ((prefix[whole] ?? 0) & mask);
}
