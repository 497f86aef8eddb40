import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { definitionHash, proposalKey, type SnapshotParts, snapshot } from "./freeze.ts";
import { readArguments } from "./json.ts";

const parts: SnapshotParts = {
  tool: "git.propose_change",
  action: "propose_change",
  sourceId: "0198c0de-0000-7000-8000-000000000001",
  argsCanonical: '{"title":"Fix"}',
  preview: "--- a\n+++ b\n",
  preconditions: { base: "4e1c9a7", paths: ["a", "b"] },
  form: '{"patch":"..."}',
  formVersion: 1,
  definitionHash: "a".repeat(64),
  level: "workspace_admin",
  fourEyes: false,
  policyVersion: "7",
  workspaceId: "0198c0de-0000-7000-8000-000000000002",
  runId: "0198c0de-0000-7000-8000-000000000003",
  callId: "call_1",
  requesterId: "0198c0de-0000-7000-8000-000000000004",
};

/** Another value for each part; the type demands one for every part there is. */
const flips: { readonly [Part in keyof SnapshotParts]: SnapshotParts[Part] } = {
  tool: "git.propose_chang\u0435",
  action: null,
  sourceId: null,
  argsCanonical: '{"title":"Fix" }',
  preview: "--- a\n+++ b\n ",
  preconditions: { base: "4e1c9a7", paths: ["b", "a"] },
  form: '{"patch":"....."}',
  formVersion: 2,
  definitionHash: "b".repeat(64),
  level: "global_approver",
  fourEyes: true,
  policyVersion: "8",
  workspaceId: "0198c0de-0000-7000-8000-000000000012",
  runId: "0198c0de-0000-7000-8000-000000000013",
  callId: "call_2",
  requesterId: "0198c0de-0000-7000-8000-000000000014",
};

describe("the snapshot binds everything the approver decides about (APR-2)", () => {
  test.each(Object.entries(flips))("another %s alone gives another hash (N33, N34)", (part, value) => {
    expect(snapshot({ ...parts, [part]: value }).hash).not.toBe(snapshot(parts).hash);
  });

  test("every part stands in the text", () => {
    const { text } = snapshot(parts);
    expect(text.startsWith("aiw-snapshot-v2\n")).toBe(true);
    expect(JSON.parse(text.slice("aiw-snapshot-v2\n".length))).toEqual(parts);
    expect(Object.keys(flips)).toHaveLength(Object.keys(parts).length);
  });

  test("the hash is the SHA-256 of the text", () => {
    const { text, hash } = snapshot({ ...parts, preview: "Größe 😀" });
    expect(hash).toBe(createHash("sha256").update(Buffer.from(text, "utf8")).digest("hex"));
  });

  test("the same parts in another order or spelling give the same text", () => {
    const reordered = Object.fromEntries(Object.entries({ ...parts, more: 1 }).reverse());
    expect(snapshot({ ...parts, ...reordered, preconditions: { paths: ["a", "b"], base: "4e1c9a7" } })).toEqual(
      snapshot(parts),
    );
    expect(snapshot({ ...parts, policyVersion: 7 })).toEqual(snapshot(parts));
  });

  test("text of one part cannot pass for another part", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (preview, form, otherPreview, otherForm) => {
        const same = preview === otherPreview && form === otherForm;
        const left = snapshot({ ...parts, preview, form }).hash;
        const right = snapshot({ ...parts, preview: otherPreview, form: otherForm }).hash;
        expect(left === right).toBe(same);
      }),
    );
  });
});

describe("a definition is pinned whole (POL-6)", () => {
  const definition = {
    name: "send",
    description: "Sends",
    parameters: { type: "object", properties: { to: { enum: ["a", "b"], default: "a" } } },
    annotations: { readOnlyHint: false },
  };

  test.each([
    ["description", { ...definition, description: "Sends." }],
    [
      "enum order",
      { ...definition, parameters: { type: "object", properties: { to: { enum: ["b", "a"], default: "a" } } } },
    ],
    [
      "default",
      { ...definition, parameters: { type: "object", properties: { to: { enum: ["a", "b"], default: "b" } } } },
    ],
    ["annotation", { ...definition, annotations: { readOnlyHint: true } }],
    ["a member more", { ...definition, title: "Send" }],
  ])("another %s gives another hash (N39)", (_, changed) => {
    expect(definitionHash(changed)).not.toBe(definitionHash(definition));
  });

  test("the order of members does not matter", () => {
    expect(definitionHash(Object.fromEntries(Object.entries(definition).reverse()))).toBe(definitionHash(definition));
  });
});

describe("a repeated proposal is recognised (APR-6, F55)", () => {
  const keyOf = (text: string, tool = "Mail.send", source: string | null = "s1"): string => {
    const args = readArguments(text);
    if (!args.ok) throw new Error(args.message);
    return proposalKey(tool, source, args.value);
  };
  const first = keyOf('{"to":"a@b.de","n":1,"text":"K\u00e4se"}');

  test.each([
    ["member order", '{"n":1,"text":"K\u00e4se","to":"a@b.de"}'],
    ["white space", '{ "to" : "a@b.de",\n"n":1, "text":"K\u00e4se" }'],
    ["number spelling", '{"to":"a@b.de","n":1.0,"text":"K\u00e4se"}'],
    ["escapes", '{"to":"a@b.de","n":1e0,"te\\u0078t":"K\\u00e4se"}'],
    ["Unicode form", '{"to":"a@b.de","n":1,"text":"Ka\u0308se"}'],
  ])("with another %s", (_, text) => {
    expect(keyOf(text)).toBe(first);
  });

  test("another tool, source, value or type is another proposal", () => {
    expect(keyOf('{"to":"a@b.de","n":1,"text":"K\u00e4se"}', "Mail.draft")).not.toBe(first);
    expect(keyOf('{"to":"a@b.de","n":1,"text":"K\u00e4se"}', "Mail.send", null)).not.toBe(first);
    expect(keyOf('{"to":"a@b.de","n":"1","text":"K\u00e4se"}')).not.toBe(first);
    expect(keyOf('{"to":"a@b.de","n":1,"text":"Kase"}')).not.toBe(first);
  });
});
