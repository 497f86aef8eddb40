import { randomBytes, randomUUID } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claim } from "@aiw/core/runs";
import { connect, type Database } from "@aiw/platform/db";
import { migrate, migrationStatus } from "@aiw/platform/migrate";
import { expect, inject, test } from "vitest";
import { ROOT } from "../kit/stack.ts";

/** Up to here databases exist that must not be lost. */
const RELEASED = "0007_add_mcp_servers";

interface Journal {
  readonly entries: readonly { readonly tag: string }[];
}

test("OPS-8 a database of an earlier version keeps its rows when it is migrated, and a run that waited in it is carried on", async () => {
  const folder = await mkdtemp(join(tmpdir(), "aiw-upgrade-"));
  const root = connect({ url: inject("postgres").adminUrl, max: 1, applicationName: "test" });
  const name = `upgrade_${randomBytes(6).toString("hex")}`;
  await root.sql`create database ${root.sql(name)}`;
  const url = new URL(inject("postgres").adminUrl);
  url.pathname = `/${name}`;
  try {
    await cp(join(ROOT, "migrations"), folder, { recursive: true });
    const file = join(folder, "meta/_journal.json");
    const journal = JSON.parse(await readFile(file, "utf8")) as Journal;
    const last = journal.entries.findIndex(({ tag }) => tag === RELEASED);
    await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, last + 1) }));
    await migrate({ adminUrl: url.href, migrationsFolder: folder });
    const db = connect({ url: url.href, max: 2, applicationName: "test" });
    const ids = await asItWas(db);

    const { pending } = await migrationStatus(url.href);
    expect(await migrate({ adminUrl: url.href })).toEqual(pending);
    expect(pending.length).toBeGreaterThan(0);

    const kept = await db.sql`
      select r.status, r.lane, m.text, a.status as request, a.title, a.sensitive from runs r join messages m on m.chat_id = r.chat_id
        join approvals a on a.chat_id = r.chat_id where r.id = ${ids.runId}`;
    expect(kept).toEqual([
      { status: "queued", lane: "chat", text: "go", request: "expired", title: "Change", sensitive: false },
    ]);
    const taken = await claim(db, ids.runId, 30);
    if (taken.outcome !== "claimed") throw new Error(`not claimed: ${taken.outcome}`);
    expect(taken.load().items.map(({ kind }) => kind)).toEqual(["user", "function_call_output"]);
    await db.close();
  } finally {
    await root.sql`drop database ${root.sql(name)} with (force)`;
    await root.close();
    await rm(folder, { recursive: true });
  }
});

/** A conversation and a request as the earlier version stored them. */
const asItWas = async (db: Database): Promise<{ readonly runId: string }> => {
  const [userId, workspaceId, teamId, chatId, messageId, callId] = Array.from({ length: 6 }, () => randomUUID());
  await db.sql`insert into users (id, name, display_name) values (${userId ?? ""}, 'old', 'Old')`;
  await db.sql`insert into teams (id, name) values (${teamId ?? ""}, 'Old')`;
  await db.sql`insert into workspaces (id, team_id, name, created_by) values (${workspaceId ?? ""}, ${teamId ?? ""}, 'Old', ${userId ?? ""})`;
  await db.sql`insert into memberships (workspace_id, user_id, role) values (${workspaceId ?? ""}, ${userId ?? ""}, 'admin')`;
  await db.sql`insert into chats (id, workspace_id, title, created_by) values (${chatId ?? ""}, ${workspaceId ?? ""}, 'old', ${userId ?? ""})`;
  await db.sql`insert into messages (id, workspace_id, chat_id, role, text, author_id) values (${messageId ?? ""}, ${workspaceId ?? ""}, ${chatId ?? ""}, 'user', 'go', ${userId ?? ""})`;
  const [run] = await db.sql<{ id: string }[]>`
    select run_start_v1(${workspaceId ?? ""}::uuid, ${chatId ?? ""}::uuid, ${messageId ?? ""}::uuid, 'go', ${userId ?? ""}::uuid, 'go') as id`;
  const runId = run?.id ?? "";
  await db.sql`insert into tool_calls (id, workspace_id, run_id, call_id, step, position, wire_name, args_text, args_sha256, risk_class, decision, explanation, status)
    values (${callId ?? ""}, ${workspaceId ?? ""}, ${runId}, 'c1', 1, 0, 'propose_change', '{}', '', 'write_external', 'approve', '{}', 'expired')`;
  await db.sql`insert into approvals (workspace_id, run_id, chat_id, tool_call_id, call_id, tool_id, requester_id, title, snapshot, snapshot_hash, args_text, form,
      form_version, preview, preconditions, definition_hash, policy_version, level, four_eyes, risk_class, explanation, status)
    values (${workspaceId ?? ""}, ${runId}, ${chatId ?? ""}, ${callId ?? ""}, 'c1', 'git.propose_change', ${userId ?? ""}, 'Change', '{}', '', '{}', '{}', 1, '{}', '{}', '', 1,
      'workspace_admin', false, 'write_external', '{}', 'expired')`;
  await db.sql`insert into run_items (run_id, item, workspace_id, chat_id, step, kind, call_id, data)
    values (${runId}, 2, ${workspaceId ?? ""}, ${chatId ?? ""}, 1, 'function_call_output', 'c1', '{"type":"function_call_output","call_id":"c1","output":"go"}')`;
  return { runId };
};
