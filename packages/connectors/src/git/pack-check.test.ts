import fc from "fast-check";
import git from "isomorphic-git";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "./limits.ts";
import { emptyRepository } from "./memory-repository.ts";
import { checkPack } from "./pack-check.ts";

const packOf = async (contents: readonly Uint8Array[]): Promise<Buffer> => {
  const repository = await emptyRepository();
  const oids = new Set<string>();
  for (const blob of contents) oids.add(await git.writeBlob({ ...repository, blob }));
  const { packfile } = await git.packObjects({ ...repository, oids: [...oids] });
  return Buffer.from(packfile ?? []);
};

test("every pack of the library passes, whether objects are looked at whole or piece by piece (N67)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 5000 }), { minLength: 1, maxLength: 8 }), async (contents) => {
      const pack = await packOf(contents);
      await expect(checkPack(pack, DEFAULT_LIMITS)).resolves.toBeUndefined();
      await expect(checkPack(pack, { ...DEFAULT_LIMITS, maxObjectBytes: 10 })).resolves.toBeUndefined();
    }),
    { numRuns: 20 },
  );
});

test("a pack with one bit turned is refused (N67)", async () => {
  const pack = await packOf([Buffer.from("some content that is long enough to be packed ".repeat(20))]);
  for (let at = 0; at < pack.byteLength; at += 1) {
    const turned = Buffer.from(pack);
    turned[at] = (turned[at] ?? 0) ^ 0x10;
    await expect(checkPack(turned, DEFAULT_LIMITS)).rejects.toMatchObject({ code: "source_protocol" });
  }
});

test("what a pack unfolds to and how many objects it has is bounded before anything is unpacked (N67)", async () => {
  const pack = await packOf([Buffer.alloc(50_000), Buffer.alloc(60_000)]);
  await expect(checkPack(pack, { ...DEFAULT_LIMITS, maxInflatedBytes: 110_000 })).resolves.toBeUndefined();
  for (const limit of [{ maxInflatedBytes: 109_999 }, { maxObjects: 1 }]) {
    await expect(checkPack(pack, { ...DEFAULT_LIMITS, ...limit })).rejects.toMatchObject({ code: "source_too_large" });
  }
});
