/**
 * Query keys, nested so that a hint can make a whole branch stale:
 * everything of a workspace stands below ["ws", id].
 */
export const keys = {
  config: ["config"] as const,
  me: ["me"] as const,
  workspaces: ["workspaces"] as const,
  ws: (workspaceId: string) => ["ws", workspaceId] as const,
  workspace: (workspaceId: string) => ["ws", workspaceId, "detail"] as const,
  candidates: (workspaceId: string) => ["ws", workspaceId, "candidates"] as const,
  tools: (workspaceId: string) => ["ws", workspaceId, "tools"] as const,
  audit: (workspaceId: string) => ["ws", workspaceId, "audit"] as const,
  sources: (workspaceId: string) => ["ws", workspaceId, "sources"] as const,
  availableServers: (workspaceId: string) => ["ws", workspaceId, "servers"] as const,
  source: (workspaceId: string, sourceId: string) => ["ws", workspaceId, "sources", sourceId] as const,
  job: (workspaceId: string, jobId: string) => ["ws", workspaceId, "jobs", jobId] as const,
  allChats: (workspaceId: string) => ["ws", workspaceId, "chats"] as const,
  chats: (workspaceId: string, archived: boolean, search: string) =>
    ["ws", workspaceId, "chats", { archived, search }] as const,
  allRuns: (workspaceId: string) => ["ws", workspaceId, "runs"] as const,
  runs: (workspaceId: string, group: string) => ["ws", workspaceId, "runs", group] as const,
  run: (runId: string) => ["run", runId] as const,
  runEvents: (runId: string) => ["run", runId, "events"] as const,
  allApprovals: ["approvals"] as const,
  approvals: (filter: string, workspaceId: string | undefined) =>
    ["approvals", "list", filter, workspaceId ?? "all"] as const,
  approval: (approvalId: string) => ["approvals", "one", approvalId] as const,
  apiKeys: (workspaceId: string) => ["ws", workspaceId, "keys"] as const,
  agent: (workspaceId: string) => ["ws", workspaceId, "agent"] as const,
  policies: (workspaceId: string) => ["ws", workspaceId, "policies"] as const,
  writeStop: (workspaceId: string) => ["ws", workspaceId, "write-stop"] as const,
  adminPolicies: ["admin", "policies"] as const,
  adminWriteStop: ["admin", "write-stop"] as const,
  wsModels: (workspaceId: string) => ["ws", workspaceId, "models"] as const,
  adminModels: ["admin", "models"] as const,
  adminGuardrails: ["admin", "guardrails"] as const,
  adminTools: ["admin", "tools"] as const,
  adminMcp: ["admin", "mcp"] as const,
  allAdminUsers: ["admin", "users"] as const,
  adminUsers: (search: string) => ["admin", "users", search] as const,
  adminTeams: ["admin", "teams"] as const,
};
