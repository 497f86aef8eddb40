import { CompactEncrypt } from "jose";
import { describe, expect, test } from "vitest";
import { createVault, lastFour, VaultError } from "./vault.ts";

const keyA = Buffer.alloc(32, 1).toString("base64");
const keyB = Buffer.alloc(32, 2).toString("base64url");
const context = "source:0190/token";

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof VaultError)) return String(error);
  expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain("hunter2");
  return error.code;
}

describe("SEC-4 vault", () => {
  test("SEC-4 what is sealed opens in the same context, and two seals differ", async () => {
    const vault = createVault(keyA);
    const one = await vault.seal("hunter2 ä\u0000", context);
    expect(await vault.open(one, context)).toBe("hunter2 ä\u0000");
    expect(one).not.toBe(await vault.seal("hunter2 ä\u0000", context));
    expect(one).not.toContain("hunter2");
  });

  test("SEC-4 a new first key opens what the old one sealed and asks to seal it again", async () => {
    const old = await createVault(keyA).seal("hunter2", context);
    const rotated = createVault(`${keyB}, ${keyA}`);
    expect(await rotated.open(old, context)).toBe("hunter2");
    expect(rotated.needsReseal(old)).toBe(true);
    expect(rotated.needsReseal(await rotated.seal("hunter2", context))).toBe(false);
    expect(await codeOf(createVault(keyB).open(old, context))).toBe("unknown_key");
  });

  test("SEC-4 a secret copied to another place does not open", async () => {
    const vault = createVault(keyA);
    expect(await codeOf(vault.open(await vault.seal("hunter2", context), "source:0191/token"))).toBe("wrong_context");
  });

  test("SEC-4 every change of a sealed text is noticed", async () => {
    const vault = createVault(keyA);
    const token = await vault.seal("hunter2", context);
    const parts = token.split(".");
    for (const at of [2, 3, 4]) {
      const changed = parts.map((part, index) => (index === at ? flip(part) : part)).join(".");
      expect(await codeOf(vault.open(changed, context))).toBe("not_readable");
    }
    const header = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(parts[0] ?? "", "base64url").toString()), ctx: "other" }),
    ).toString("base64url");
    expect(await codeOf(vault.open([header, ...parts.slice(1)].join("."), "other"))).toBe("not_readable");
    for (const junk of ["", "x", "a.b.c.d.e", "....", "hunter2"])
      expect(await codeOf(vault.open(junk, context))).toBe("not_readable");
  });

  test("SEC-4 another encryption under the same key is refused", async () => {
    const kid = JSON.parse(
      Buffer.from((await createVault(keyA).seal("x", context)).split(".")[0] ?? "", "base64url").toString(),
    ).kid;
    const foreign = await new CompactEncrypt(new TextEncoder().encode("hunter2"))
      .setProtectedHeader({ alg: "A256GCMKW", enc: "A128GCM", kid, ctx: context })
      .encrypt(Buffer.from(keyA, "base64"));
    expect(await codeOf(createVault(keyA).open(foreign, context))).toBe("not_readable");
  });

  test.each(["", "short", `${keyA},`, Buffer.alloc(31).toString("base64"), "!".repeat(44)])(
    "SEC-4 the key ring %o is refused without being repeated",
    (ring) => {
      expect(() => createVault(ring)).toThrow(/is not 32 bytes in base64/);
    },
  );

  test("SEC-4 the last four characters are shown only of long secrets", () => {
    expect([lastFour("ghp_abcdefghijkl"), lastFour("short")]).toEqual(["ijkl", ""]);
  });
});

function flip(part: string): string {
  return (part.startsWith("A") ? "B" : "A") + part.slice(1);
}
