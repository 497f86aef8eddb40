import type { AGENT_ENDPOINTS } from "@aiw/contract/agents";
import * as agents from "@aiw/core/agents";
import type { Handlers } from "../http/call.ts";

export const agentHandlers: Pick<Handlers, keyof typeof AGENT_ENDPOINTS> = {
  getAgent: ({ ctx }) => agents.get(ctx),
  saveAgent: ({ ctx, body }) => agents.save(ctx, body),
};
