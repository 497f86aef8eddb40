import type { RiskClass } from "@aiw/contract/tools";

/**
 * Suggested classes of the built-in tools (POL-5), by the name people know: `Group.action`, or the wire name where the
 * specification knows no group. Listed one by one: a new tool has no suggestion until somebody thought about it.
 */
const suggestions: ReadonlyMap<string, RiskClass> = new Map([
  ...each("read", [
    "git_list_dir",
    "git_read_file",
    "git_search",
    "git_find_files",
    "git_log",
    "git_blame",
    "git_diff",
    "git_show_commit",
    "git_pr_comments",
    "list_tables",
    "describe_table",
    "query",
    "db_list_tables",
    "db_describe_table",
    "db_query",
    "docs_list",
    "docs_search",
    "docs_read",
    "recall",
    "get",
    "list",
    "related",
    "load_skill",
    "read_skill_file",
    "Mail.read_inbox",
    "FileRW.read",
    "FileRW.list",
    "FTP.list",
    "FTP.download",
    "Telegram.read",
  ]),
  // FileRW.delete goes to a trash and can be undone; POL-8 asks for approval all the same.
  ...each("write_internal", [
    "commit_change",
    "merge_target",
    "update_plan",
    "remember",
    "FileRW.write",
    "FileRW.delete",
  ]),
  ...each("write_external", [
    "propose_change",
    "hugin_feedback",
    "Mail.send",
    "Telegram.send_message",
    "FTP.upload",
    "Database.insert",
    "Database.upsert",
  ]),
  ...each("destructive", ["FTP.delete", "forget"]),
]);

/** Tools that are for people only and never offered to a model, whatever their class (POL-5). */
export const NEVER_FOR_THE_MODEL: ReadonlySet<string> = new Set(["forget"]);

/**
 * What a platform admin is offered when a built-in tool is classified (POL-4, POL-5). A suggestion is no classification.
 * Null for tools the platform does not ship; a tool of an MCP server must never be looked up here.
 */
export const suggestedRiskClass = (tool: { readonly id: string; readonly wireName: string }): RiskClass | null =>
  suggestions.get(tool.id) ?? suggestions.get(tool.wireName) ?? null;

function each(riskClass: RiskClass, names: readonly string[]): [string, RiskClass][] {
  return names.map((name) => [name, riskClass]);
}
