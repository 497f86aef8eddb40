import { expect, test } from "vitest";
import type { z } from "zod";
import { ENDPOINTS } from "./api.ts";

/** The member `token` or `key` of every body that has one. */
const secrets = Object.entries(ENDPOINTS).flatMap(([name, endpoint]) => {
  const shape: Readonly<Record<string, z.ZodType>> = "body" in endpoint ? endpoint.body.shape : {};
  return Object.entries(shape).flatMap(([member, schema]) =>
    /^(token|key)$/.test(member) ? [{ name, member, schema }] : [],
  );
});

test("SRC-2 what travels in a header takes nothing that would begin another line or another word, in every body that has one", () => {
  expect(secrets.length).toBeGreaterThan(4);
  for (const { name, member, schema } of secrets) {
    for (const odd of ["abcdefgh\r\nX-Admin: 1", "abcdefgh\u0000", "abc defgh", "abcdefgh\u200b", "schlüssel"])
      expect([name, member, odd, schema.safeParse(odd).success]).toEqual([name, member, odd, false]);
    expect([name, member, schema.safeParse("ghp_Ab0/+=~!x").success]).toEqual([name, member, true]);
  }
});
