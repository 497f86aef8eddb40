import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../migrations");

/** The beginning of the SHA-256 of every migration that somebody's database may have had. New ones are added here, none is changed. */
const RELEASED: Readonly<Record<string, string>> = {
  "0000_create_roles": "a85b9910f0174515",
  "0001_create_tables": "23e1be6fcf919de4",
  "0002_secure_rows": "a514f484674d386f",
  "0003_add_run_functions": "dfc9fe9a1acf3ebd",
  "0004_add_approval_functions": "6afa0f001492ee81",
  "0005_grant_user_administration": "fa9d52187d579c6e",
  "0006_add_rule_conditions": "b58521e16906ca21",
  "0007_add_mcp_servers": "39d08ffe3f7ce3b9",
};

test("OPS-8 a migration that was released is never edited: whoever has it would not get the change, a new one brings it to all", () => {
  const now = Object.keys(RELEASED).map((tag) => {
    const text = readFileSync(join(folder, `${tag}.sql`));
    return [tag, createHash("sha256").update(text).digest("hex").slice(0, 16)];
  });
  expect(Object.fromEntries(now)).toEqual(RELEASED);
});
