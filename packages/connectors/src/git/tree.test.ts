import fc from "fast-check";
import git from "isomorphic-git";
import { expect, test } from "vitest";
import { emptyRepository } from "./memory-repository.ts";
import { isUsualTree, parseTree } from "./tree.ts";
import { entryOf, writeTree } from "./tree-write.ts";

const OID = "1".repeat(40);

const bytesOf = (entries: readonly (readonly [mode: string, name: string | Buffer])[]): Buffer =>
  Buffer.concat(
    entries.flatMap(([mode, name]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(OID, "hex"),
    ]),
  );

const name = fc.string({ unit: fc.constantFrom("a", "b", "-", ".", "ü", "Z", "0", "_"), minLength: 1, maxLength: 4 });
const fileName = name.filter((text) => !/^\.+$/.test(text) && !text.includes(".."));

test("a tree that the library wrote is read back the same and is a usual one (GIT-8)", async () => {
  const repository = await emptyRepository();
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fileName, fc.constantFrom("100644", "100755", "40000", "160000"), { noNullPrototype: true }),
      async (given) => {
        const entries = Object.entries(given).map(([path, mode]) => entryOf(path, mode, OID));
        const oid = (await writeTree(repository, entries)) ?? "";
        const { object } = await git.readObject({ ...repository, oid, format: "content" });
        const read = parseTree(Buffer.from(object instanceof Uint8Array ? object : []));
        expect(Object.fromEntries(read.map((entry) => [entry.name, entry.mode]))).toEqual(given);
        expect(isUsualTree(read)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test("a tree that would come out otherwise is told apart (M11)", () => {
  const unusual: Parameters<typeof bytesOf>[0][] = [
    [["100664", "old-mode"]],
    [["040000", "padded"]],
    [["100644", Buffer.from([0xff])]],
    [
      ["100644", "b"],
      ["100644", "a"],
    ],
    [
      ["100644", "twice"],
      ["100644", "twice"],
    ],
    [
      ["40000", "a"],
      ["100644", "a.txt"],
    ],
  ];
  for (const entries of unusual) expect(isUsualTree(parseTree(bytesOf(entries)))).toBe(false);
  const usual: Parameters<typeof bytesOf>[0] = [
    ["100644", "a.txt"],
    ["40000", "a"],
  ];
  expect(isUsualTree(parseTree(bytesOf(usual)))).toBe(true);
});

test("bytes that are no tree are refused", () => {
  for (const bad of ["100644 a", "100644 a\0short", "a\0 1111111111111111111111"]) {
    expect(() => parseTree(Buffer.from(bad))).toThrow(expect.objectContaining({ code: "source_protocol" }));
  }
});
