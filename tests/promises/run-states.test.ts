import { afterAll, beforeAll, expect, test } from "vitest";
import { REQUEST_TRANSITIONS, requestStatus, RUN_TRANSITIONS, runStatus } from "@aiw/contract/runs";
import { sqlState, type Tx } from "@aiw/platform/db";
import { onlyRequest, propose, topic } from "../kit/runs.ts";
import { startWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

class Undo extends Error {}

/** What the database says to a change, without keeping it: null = allowed, else the SQLSTATE. */
const attempt = async (change: (tx: Tx) => Promise<unknown>): Promise<string | null> => {
  const said = { answer: null as string | null };
  try {
    await world.admin.begin(async (tx) => {
      said.answer = await change(tx).then(
        () => null,
        (error: unknown) => sqlState(error) ?? String(error),
      );
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo) && said.answer === null) throw error;
  }
  return said.answer;
};

test("RUN-1 the database allows exactly the transitions of a run that the contract names", async () => {
  const wrong: string[] = [];
  let pairs = 0;
  for (const from of runStatus.options) {
    for (const to of runStatus.options) {
      if (from === to) continue;
      pairs += 1;
      const answer = await attempt(async (tx) => {
        const [run] = await tx<{ id: string }[]>`
          insert into runs (workspace_id, team_id, title, started_by, status, shown_status)
            values (${world.workspaceId}, ${world.teamId}, 'x', ${world.people.member.userId}, ${from}, ${from}) returning id`;
        await tx`update runs set status = ${to} where id = ${run?.id ?? ""}`;
      });
      const expected = RUN_TRANSITIONS[from].includes(to) ? null : "AIW01";
      if (answer !== expected) wrong.push(`${from} -> ${to}: ${answer ?? "allowed"}`);
    }
  }
  expect(pairs).toBe(72);
  expect(wrong).toEqual([]);
});

test("RUN-1 I7 the database allows exactly the transitions of a request that the contract names", async () => {
  const t = topic();
  world.script.push(t, { calls: [propose()] });
  const { runId } = await world.ask(t);
  await world.drive(runId);
  const { id } = await onlyRequest(world, runId);
  const wrong: string[] = [];
  let pairs = 0;
  for (const from of requestStatus.options) {
    for (const to of requestStatus.options) {
      if (from === to) continue;
      pairs += 1;
      const answer = await attempt(async (tx) => {
        // The real request makes room for a copy of itself in the state to start from; an insert is no transition.
        await tx`update approvals set status = 'cancelled' where id = ${id}`;
        const [copy] = await tx<{ id: string }[]>`
          insert into approvals (workspace_id, run_id, tool_call_id, call_id, tool_id, requester_id, title, snapshot, snapshot_hash, args_text, form, form_version,
                                 preview, preconditions, definition_hash, policy_version, level, four_eyes, risk_class, explanation, status, invalid_reason, decided_by)
            select workspace_id, run_id, tool_call_id, call_id, tool_id, requester_id, title, snapshot, snapshot_hash, args_text, form, form_version,
                   preview, preconditions, definition_hash, policy_version, level, four_eyes, risk_class, explanation, ${from}, ${from === "invalid" ? "stale" : null}, requester_id
              from approvals where id = ${id} returning id`;
        await tx`update approvals set status = ${to}, invalid_reason = ${to === "invalid" ? "stale" : null} where id = ${copy?.id ?? ""}`;
      });
      const expected = REQUEST_TRANSITIONS[from].includes(to) ? null : "AIW01";
      if (answer !== expected) wrong.push(`${from} -> ${to}: ${answer ?? "allowed"}`);
    }
  }
  expect(pairs).toBe(90);
  expect(wrong).toEqual([]);
});
