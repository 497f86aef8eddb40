import { randomUUID } from "node:crypto";
import { sha256Hex } from "@aiw/policy/freeze";
import type { Api, Role } from "./http-fixture.ts";

export interface Waiting {
  readonly chatId: string;
  readonly runId: string;
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly snapshotHash: string;
}

/** A chat with a queued run, written by the product's own functions. */
export async function addRun(
  api: Api,
  workspaceId: string,
  by: Role,
  text = "hello",
): Promise<{ chatId: string; runId: string; messageId: string }> {
  const { sql } = api.admin;
  const chatId = randomUUID();
  const messageId = randomUUID();
  await sql`insert into chats (id, workspace_id, title, created_by) values (${chatId}, ${workspaceId}, ${text}, ${api.ids[by]})`;
  await sql`insert into messages (id, workspace_id, chat_id, role, text, author_id) values (${messageId}, ${workspaceId}, ${chatId}, 'user', ${text}, ${api.ids[by]})`;
  const [row] =
    await sql`select run_start_v1(${workspaceId}::uuid, ${chatId}::uuid, ${messageId}::uuid, ${text}, ${api.ids[by]}::uuid, ${text}) as id`;
  return { chatId, messageId, runId: String(row?.["id"]) };
}

/** Claims a run as a step would; returns the fence. Runs that other tests left ready may have their turn before it (RUN-19). */
export async function claim(api: Api, runId: string): Promise<number> {
  for (let n = 0; n < 100; n += 1) {
    const [row] = await api.step.sql`select outcome, run from run_claim_v1(${runId}::uuid, 300)`;
    if (row?.["outcome"] !== "claimed") throw new Error(`the run was not claimed: ${row?.["outcome"]}`);
    if (row["run"].id === runId) return Number(row["run"].fence);
  }
  throw new Error("the run's turn did not come");
}

/** Appends text events to a claimed run, as a streaming step does. */
export async function stream(
  api: Api,
  workspaceId: string,
  runId: string,
  fence: number,
  texts: readonly string[],
): Promise<void> {
  const datas = texts.map((text) => JSON.stringify({ step: 1, text }));
  await api.step
    .sql`select * from events_append_v1(${runId}::uuid, ${workspaceId}::uuid, ${fence}, 300, ${texts.map(() => "message.delta")}::text[], ${datas}::text[])`;
}

/** Commits the outcome of a claimed step. */
export async function commit(
  api: Api,
  workspaceId: string,
  runId: string,
  fence: number,
  outcome: object,
): Promise<void> {
  const [row] = await api.step
    .sql`select done from run_commit_v1(${runId}::uuid, ${workspaceId}::uuid, ${fence}, ${api.step.sql.json(JSON.parse(JSON.stringify(outcome)))})`;
  if (row?.["done"] !== true) throw new Error("the step was not committed");
}

const SNAPSHOT = "aiw-snapshot-v2\n{}";
/** The hash every such request is shown with. */
export const SNAPSHOT_HASH = sha256Hex(SNAPSHOT);

/** A run that waits for the decision of one request. */
export async function addWaiting(
  api: Api,
  workspaceId: string,
  by: Role,
  sourceId: string | null = null,
  level = "workspace_admin",
): Promise<Waiting> {
  const { chatId, runId } = await addRun(api, workspaceId, by);
  const fence = await claim(api, runId);
  const [toolCallId, approvalId] = [randomUUID(), randomUUID()];
  const snapshotHash = SNAPSHOT_HASH;
  const definitionHash = await knownTool(api);
  await commit(api, workspaceId, runId, fence, {
    status: "waiting_approval",
    calls: [
      {
        id: toolCallId,
        callId: "call_1",
        position: 0,
        wireName: "propose_change",
        toolId: "git.propose_change",
        sourceId,
        args: "{}",
        argsHash: "b".repeat(64),
        riskClass: "write_external",
        note: null,
        status: "waiting",
      },
    ],
    requests: [
      {
        id: approvalId,
        toolCallId,
        callId: "call_1",
        sourceId,
        toolId: "git.propose_change",
        title: "Change a file",
        snapshot: SNAPSHOT,
        snapshotHash,
        args: "{}",
        form: "{}",
        formVersion: 1,
        preview: JSON.stringify({ title: "Change a file", kind: "arguments" }),
        preconditions: "{}",
        definitionHash,
        policyVersion: 1,
        level,
        fourEyes: false,
        riskClass: "write_external",
        explanation: JSON.stringify({ code: "class_write_external", params: {} }),
        modelNote: null,
        allowedByPolicy: false,
        ttlS: 3_600,
        executeWithinS: 900,
        predecessorId: null,
      },
    ],
    events: [
      {
        type: "approval.requested",
        data: { callId: "call_1", toolCallId, approvalId, level, fourEyes: false, decidable: true },
      },
    ],
  });
  return { chatId, runId, approvalId, toolCallId, snapshotHash };
}

/** The tool such requests are for, classified as it is from the first start on; the hash of its definition. */
async function knownTool(api: Api): Promise<string> {
  const { sql } = api.admin;
  await sql`insert into tools (id, wire_name, kind, source_kind, definition, definition_hash, suggested_risk_class, risk_class)
    values ('git.propose_change', 'propose_change', 'native', 'git', '{"parameters":{}}', ${"c".repeat(64)}, 'write_external', 'write_external')
    on conflict (id) do nothing`;
  await sql`update tools set risk_class = 'write_external', default_active = true where id = 'git.propose_change'`;
  const [tool] = await sql`select definition_hash from tools where id = 'git.propose_change'`;
  return String(tool?.["definition_hash"]);
}
