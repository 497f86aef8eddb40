import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressBytes, classifyAddress } from "./address.ts";

describe("SRC-3 addresses are judged by their bytes", () => {
  test.each([
    ["8.8.8.8", "public"],
    ["1.1.1.1", "public"],
    ["172.15.255.255", "public"],
    ["172.32.0.0", "public"],
    ["100.63.255.255", "public"],
    ["100.128.0.0", "public"],
    ["2001:4860:4860::8888", "public"],
    ["2a00:1450:4001:80e::200e", "public"],
    ["::ffff:8.8.8.8", "public"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "private"],
    ["::ffff:10.0.0.1", "private"],
    ["fc00::1", "private"],
    ["fdff:ffff::1", "private"],
    ["0.0.0.0", "never"],
    ["169.254.169.254", "never"],
    ["169.254.0.1", "never"],
    ["::ffff:169.254.169.254", "never"],
    ["::ffff:a9fe:a9fe", "never"],
    ["100.100.100.200", "never"],
    ["168.63.129.16", "never"],
    ["fd00:ec2::254", "never"],
    ["192.0.0.192", "never"],
    ["192.0.2.1", "never"],
    ["198.18.0.1", "never"],
    ["198.19.255.255", "never"],
    ["198.51.100.1", "never"],
    ["203.0.113.1", "never"],
    ["224.0.0.1", "never"],
    ["239.255.255.250", "never"],
    ["240.0.0.1", "never"],
    ["255.255.255.255", "never"],
    ["::", "never"],
    ["::7f00:1", "never"],
    ["::127.0.0.1", "never"],
    ["64:ff9b::7f00:1", "never"],
    ["64:ff9b::8.8.8.8", "never"],
    ["64:ff9b:1::a00:1", "never"],
    ["2002:7f00:1::", "never"],
    ["2002:a9fe:a9fe::1", "never"],
    ["2001:0:7f00:1::", "never"],
    ["2001:db8::1", "never"],
    ["fe80::1", "never"],
    ["fe80::1%eth0", "never"],
    ["fec0::1", "never"],
    ["ff02::1", "never"],
    ["::ffff:0:7f00:1", "never"],
    ["3fff::1", "never"],
    ["4000::1", "never"],
    ["", "never"],
    ["localhost", "never"],
    ["127.1", "never"],
    ["0177.0.0.1", "never"],
    ["1.2.3.4.5", "never"],
  ] as const)("SRC-3 %s is %s", (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  test("SRC-3 an IPv4 address and its mapped forms are judged the same", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
        const hex = `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const kind = classifyAddress(address);
        expect([classifyAddress(`::ffff:${address}`), classifyAddress(hex)]).toEqual([kind, kind]);
      }),
    );
  });

  test("SRC-3 every way to write an IPv6 address gives the same 16 bytes", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        // The URL parser is an independent reader of the same forms.
        const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        const bytes = addressBytes(address);
        expect(bytes).toHaveLength(16);
        expect(bytes).toEqual(addressBytes(canonical));
        expect(bytes?.every((byte) => byte >= 0 && byte <= 255)).toBe(true);
      }),
    );
  });
});
