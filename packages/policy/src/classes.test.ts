import { expect, test } from "vitest";
import { NEVER_FOR_THE_MODEL, suggestedRiskClass } from "./classes.ts";
import { BUILT_IN_STAGING_RULES } from "./rules.ts";

test.each([
  ["git.list_dir", "git_list_dir", "read"],
  ["git.read_file", "git_read_file", "read"],
  ["git.search", "git_search", "read"],
  ["db.query", "db_query", "read"],
  ["FTP.download", "ftp_download", "read"],
  ["git.commit_change", "commit_change", "write_internal"],
  ["plan.update_plan", "update_plan", "write_internal"],
  ["FileRW.delete", "filerw_delete", "write_internal"],
  ["git.propose_change", "propose_change", "write_external"],
  ["Mail.send", "mail_send", "write_external"],
  ["Database.upsert", "database_upsert", "write_external"],
  ["FTP.delete", "ftp_delete", "destructive"],
  ["memory.forget", "forget", "destructive"],
])("%s is suggested as its class of the list (POL-5)", (id, wireName, riskClass) => {
  expect(suggestedRiskClass({ id, wireName })).toBe(riskClass);
});

test("a tool nobody thought about has no suggestion (POL-4)", () => {
  expect(suggestedRiskClass({ id: "git.push", wireName: "git_push" })).toBeNull();
  expect(suggestedRiskClass({ id: "toString.constructor", wireName: "constructor" })).toBeNull();
});

test("every built-in staging rule is about a tool of the list (POL-8)", () => {
  for (const { pattern } of BUILT_IN_STAGING_RULES)
    expect(suggestedRiskClass({ id: pattern, wireName: "" })).not.toBeNull();
});

test("forgetting is for people only (POL-5)", () => {
  expect(NEVER_FOR_THE_MODEL.has("forget")).toBe(true);
});
