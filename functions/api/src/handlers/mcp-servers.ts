import * as mcpServers from "@aiw/core/mcp-servers";
import type { Handlers } from "../http/call.ts";

type Names = "listMcpServers" | "registerMcpServer" | "fetchMcpTools" | "replaceMcpToken" | "removeMcpServer";

export const mcpServerHandlers: Pick<Handlers, Names> = {
  listMcpServers: async ({ ctx }) => ({ items: await mcpServers.list(ctx) }),

  registerMcpServer: async ({ ctx, body, deps }) => {
    const { server, job } = await mcpServers.register(ctx, body, { vault: deps.vault, egress: deps.mcpEgress });
    await deps.ringJob(job.id);
    return server;
  },

  fetchMcpTools: async ({ ctx, params, deps }) => {
    const job = await mcpServers.requestDiscovery(ctx, params.serverId);
    await deps.ringJob(job.id);
    return job;
  },

  replaceMcpToken: ({ ctx, params, body, deps }) =>
    mcpServers.replaceToken(ctx, params.serverId, body.token, deps.vault),

  removeMcpServer: async ({ ctx, params, deps }) => {
    const job = await mcpServers.remove(ctx, params.serverId);
    await deps.ringJob(job.id);
    return undefined;
  },
};
