import { randomUUID } from "node:crypto";
import type { RunStatus } from "@aiw/contract/runs";
import type { ApprovalDetail, ChatDetail, RunSummary } from "@aiw/contract/views";
import type { Client } from "./client.ts";
import { until } from "./stack.ts";

export const ENDS: readonly RunStatus[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];
export const isEnd = (status: RunStatus): boolean => ENDS.includes(status);

/** The demo's workspace, once its source is tested. */
export const demoWorkspace = async (client: Client): Promise<string> => {
  const { items } = await client.call("listWorkspaces");
  const [workspace] = items;
  if (workspace === undefined) throw new Error("there is no workspace");
  const params = { workspaceId: workspace.id };
  await until("its sources are tested", async () => {
    const { items } = await client.call("listSources", { params });
    return items.length > 0 && items.every(({ status }) => status === "tested") ? true : undefined;
  });
  return workspace.id;
};

export const newChat = async (client: Client, workspaceId: string): Promise<string> =>
  (await client.call("createChat", { params: { workspaceId }, body: {} })).id;

/** Sends a message; the run it started. */
export const say = async (client: Client, workspaceId: string, chatId: string, text: string): Promise<string> => {
  const { run } = await client.call("sendMessage", {
    params: { workspaceId, chatId },
    body: { id: randomUUID(), text },
  });
  if (run === null) throw new Error("the message waits behind another run");
  return run.id;
};

/** The run once it is in one of these states. */
export const runIs = (
  client: Client,
  runId: string,
  statuses: readonly RunStatus[],
  limitMs = 30_000,
): Promise<RunSummary> =>
  until(
    `run is ${statuses.join(" or ")}`,
    async () => {
      const run = await client.call("getRun", { params: { runId } });
      return statuses.includes(run.status) ? run : undefined;
    },
    limitMs,
  );

export const runEnds = (client: Client, runId: string, limitMs = 30_000): Promise<RunSummary> =>
  runIs(client, runId, ENDS, limitMs);

/** The request a run waits for, as its reader sees it. */
export const requestOf = async (client: Client, runId: string): Promise<ApprovalDetail> => {
  await runIs(client, runId, ["waiting_approval"]);
  const run = await client.call("getRun", { params: { runId } });
  const open = run.approvals.find((approval) => approval.status === "pending");
  if (open === undefined) throw new Error("the run waits, but has no open request");
  return client.call("getApproval", { params: { approvalId: open.id } });
};

export const approve = (
  client: Client,
  request: Pick<ApprovalDetail, "id" | "snapshotHash">,
): Promise<ApprovalDetail> =>
  client.call("approve", { params: { approvalId: request.id }, body: { seenHash: request.snapshotHash } });

export const answerOf = async (client: Client, workspaceId: string, chatId: string): Promise<string> => {
  const chat: ChatDetail = await client.call("getChat", { params: { workspaceId, chatId } });
  return chat.messages.filter((message) => message.role === "assistant").at(-1)?.text ?? "";
};
