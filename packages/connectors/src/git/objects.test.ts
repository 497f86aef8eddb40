import fs, { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import git from "isomorphic-git";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyDelta } from "./delta.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { encodeTree, oidOf, parseCommit, parseTree, encodeCommit, type TreeEntry } from "./objects.ts";
import { readPack } from "./pack-reader.ts";
import { encodePack } from "./pack-writer.ts";
import { createEgress } from "@aiw/platform/egress";
import { readGitConfig } from "./source.ts";

/** A second, independent implementation says whether ours is right. */
let gitdir = "";
beforeAll(async () => {
  gitdir = mkdtempSync(path.join(tmpdir(), "git-objects-"));
  await git.init({ fs, gitdir, bare: true });
});
afterAll(() => rmSync(gitdir, { recursive: true }));

const name = fc.string({ unit: fc.constantFrom("a", "b", "-", ".", "ü", "Z", "0", "_"), minLength: 1, maxLength: 4 });
const fileName = name.filter((text) => text !== "." && !text.includes(".."));

test("trees are sorted and named as another implementation does it (GIT-8)", async () => {
  const blob = await git.writeBlob({ fs, gitdir, blob: Buffer.from("x") });
  const empty = await git.writeTree({ fs, gitdir, tree: [] });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fileName, fc.constantFrom("100644", "100755", "40000"), { noNullPrototype: true }),
      async (given) => {
        const entries: TreeEntry[] = Object.entries(given).map(([key, mode]) => ({
          name: key,
          mode,
          oid: mode === "40000" ? empty : blob,
        }));
        const data = encodeTree(entries);
        const theirs = await git.writeTree({
          fs,
          gitdir,
          tree: entries.map((entry) => ({
            path: entry.name,
            mode: entry.mode.padStart(6, "0"),
            oid: entry.oid,
            type: entry.mode === "40000" ? "tree" : "blob",
          })),
        });
        expect(oidOf("tree", data)).toBe(theirs);
        expect(
          parseTree(data)
            .map((entry) => entry.name ?? "")
            .toSorted(),
        ).toEqual(Object.keys(given).toSorted());
      },
    ),
    { numRuns: 60 },
  );
});

test("packs are read by another implementation, and read back the same (GIT-8)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 5000 }), { minLength: 1, maxLength: 8 }), async (contents) => {
      const blobs = [...new Map(contents.map((bytes) => [oidOf("blob", bytes), Buffer.from(bytes)])).values()];
      const pack = encodePack(blobs.map((data) => ({ type: "blob", data })));
      const read = await readPack(pack, DEFAULT_LIMITS, AbortSignal.timeout(10_000));
      expect([...read.keys()].sort()).toEqual(blobs.map((data) => oidOf("blob", data)).sort());
      const file = `objects/pack/pack-${oidOf("blob", pack)}.pack`;
      fs.mkdirSync(path.join(gitdir, "objects/pack"), { recursive: true });
      fs.writeFileSync(path.join(gitdir, file), pack);
      await git.indexPack({ fs, dir: gitdir, gitdir, filepath: file });
      for (const data of blobs) {
        const { blob } = await git.readBlob({ fs, gitdir, oid: oidOf("blob", data) });
        expect(Buffer.from(blob).equals(data)).toBe(true);
      }
    }),
    { numRuns: 20 },
  );
});

test("a pack with one bit turned is refused or reads the same, never anything else (N67)", async () => {
  const data = Buffer.from("some content that is long enough to be packed ".repeat(20));
  const pack = encodePack([{ type: "blob", data }]);
  for (let at = 0; at < pack.byteLength; at += 1) {
    const turned = Buffer.from(pack);
    turned[at] = (turned[at] ?? 0) ^ 0x10;
    await expect(readPack(turned, DEFAULT_LIMITS, AbortSignal.timeout(10_000))).rejects.toMatchObject({
      code: expect.stringMatching(/^source_(protocol|too_large)$/),
    });
  }
});

test("deltas that lead out of their base are refused (N67)", () => {
  const base = Buffer.from("0123456789");
  expect(applyDelta(base, Buffer.from([10, 4, 0x91, 2, 3, 1, 33]), 100).toString()).toBe("234!");
  for (const bad of [
    [9, 1, 1, 33],
    [10, 5, 0x91, 8, 5],
    [10, 1, 0],
    [10, 4, 4, 1],
    [10, 200, 1, 1, 33],
    [10, 1, 0x91],
    [],
    [10, 9, 1, 33],
  ]) {
    expect(() => applyDelta(base, Buffer.from(bad), 100)).toThrow(expect.objectContaining({ code: "source_protocol" }));
  }
});

test("a commit is read back as it was made", () => {
  const tree = "1".repeat(40);
  const parent = "2".repeat(40);
  const commit = encodeCommit({ tree, parent, time: 1_770_000_000, message: "Subject\n\nparent 3\ntree 4\n" });
  expect(parseCommit(commit)).toEqual({ tree, parents: [parent], time: 1_770_000_000, subject: "Subject" });
  expect(() => parseCommit(Buffer.from("tree x\n\n"))).toThrow();
});

test("without leave for local addresses only https is taken (SRC-3)", () => {
  const egress = createEgress({ allowedHosts: ["git.example", "10.0.0.1:443"], allowLocal: false });
  expect(readGitConfig({ url: "https://git.example/team/app.git" }, egress)["url"]).toBe(
    "https://git.example/team/app.git",
  );
  for (const url of [
    "http://git.example/a.git",
    "https://git.example:8443/a.git",
    "https://evil.example/a.git",
    "https://git.example.evil.example/a.git",
  ]) {
    expect(() => readGitConfig({ url }, egress)).toThrow(expect.objectContaining({ code: "source_host_not_allowed" }));
  }
});
