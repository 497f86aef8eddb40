import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NEWEST } from "@aiw/core/health";
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
  "0008_rework_runs": "015fc38531b72c6c",
  "0009_add_agents": "3360f0f64543da8b",
  "0010_add_limits": "25e78f6d8cf05fd3",
  "0011_add_models": "f14682ea38777f27",
  "0012_add_drift_and_keys": "f1a277c793c5a71e",
  "0013_add_combination_review": "541e4b1caf58a04e",
  "0014_add_stream_read": "f9cc33acfcf830bc",
  "0015_add_run_go_on": "055ccd42c03ba48e",
  "0016_add_uploads": "bfdf161e0bafcb60",
  "0017_add_drift_codes": "3b2e1330e97c5825",
};

test("OPS-8 a migration that was released is never edited: whoever has it would not get the change, a new one brings it to all", () => {
  const now = Object.keys(RELEASED).map((tag) => {
    const text = readFileSync(join(folder, `${tag}.sql`));
    return [tag, createHash("sha256").update(text).digest("hex").slice(0, 16)];
  });
  expect(Object.fromEntries(now)).toEqual(RELEASED);
});

test("OPS-8 readiness looks for what the newest migration added, so that code never works on an older database unseen", () => {
  const newest =
    readdirSync(folder)
      .filter((name) => name.endsWith(".sql"))
      .toSorted()
      .at(-1) ?? "";
  const text = readFileSync(join(folder, newest), "utf8");
  expect(text).toContain(NEWEST.table);
  expect(text).toMatch(new RegExp(`add column ${NEWEST.column}\\b`));
});
