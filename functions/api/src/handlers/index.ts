import type { Handlers } from "../http/call.ts";
import { adminHandlers } from "./admin.ts";
import { agentHandlers } from "./agents.ts";
import { approvalHandlers } from "./approvals.ts";
import { chatHandlers } from "./chats.ts";
import { identityHandlers } from "./identity.ts";
import { keyHandlers } from "./keys.ts";
import { policyHandlers } from "./policies.ts";
import { modelHandlers } from "./models.ts";
import { questionHandlers } from "./questions.ts";
import { mcpServerHandlers } from "./mcp-servers.ts";
import { runHandlers } from "./runs.ts";
import { sourceHandlers } from "./sources.ts";
import { uploadHandlers } from "./uploads.ts";
import { workspaceHandlers } from "./workspaces.ts";

/** Every endpoint of the contract with the verb it calls. */
export const handlers: Handlers = {
  ...identityHandlers,
  ...workspaceHandlers,
  ...sourceHandlers,
  ...uploadHandlers,
  ...chatHandlers,
  ...keyHandlers,
  ...runHandlers,
  ...approvalHandlers,
  ...adminHandlers,
  ...mcpServerHandlers,
  ...policyHandlers,
  ...modelHandlers,
  ...agentHandlers,
  ...questionHandlers,
};
