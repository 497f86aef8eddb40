import * as approvals from "@aiw/core/approvals";
import { decide, isPushed, requestsOf, sweepOnce } from "./runs.ts";
import type { World } from "./world.ts";

const FINAL: readonly string[] = ["completed", "failed", "cancelled", "blocked_by_guardrail"];

interface Bell {
  readonly runId: string;
  readonly delayMs: number | undefined;
}

/**
 * Plays a run to its end as the world outside does: steps happen only when a doorbell rang for it; while none rings, time
 * passes and the sweeper comes by; a person approves what waits, and an admin who looked at the Git server says what became of
 * an unclear write. What throws is a process that died. False: it did not come to an end.
 */
export const play = async (world: World, runId: string, bells: Bell[]): Promise<boolean> => {
  for (let round = 0; round < 80; round += 1) {
    const row = await world.row(runId);
    if (FINAL.includes(row.status)) return true;
    await survive(async () => {
      const bell = bells.shift() ?? takeBell(world, runId);
      if (bell !== undefined) {
        if (bell.delayMs !== undefined) await world.shift(bell.delayMs / 1000 + 0.1);
        await world.stepOnce(runId);
        return;
      }
      if (row.status === "waiting_approval" && (await approveNext(world, runId, bells))) return;
      if (row.status === "needs_reconciliation") {
        await reconcileAsSeen(world, runId, bells);
        return;
      }
      await world.shift(20);
      await sweepOnce(world);
    });
  }
  return false;
};

const survive = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch {
    // The next round is another process.
  }
};

const takeBell = (world: World, runId: string): Bell | undefined => {
  const index = world.rung.findIndex((r) => r.runId === runId);
  return index < 0 ? undefined : world.rung.splice(index, 1)[0];
};

const approveNext = async (world: World, runId: string, bells: Bell[]): Promise<boolean> => {
  const open = (await requestsOf(world, runId)).find((r) => r.status === "pending");
  if (open === undefined) return false;
  const decided = await decide(world, "approver", open, "approved");
  if (decided.ring) bells.push({ runId, delayMs: undefined });
  return true;
};

const reconcileAsSeen = async (world: World, runId: string, bells: Bell[]): Promise<void> => {
  const unclear = (await requestsOf(world, runId)).find((r) => r.status === "unknown");
  if (unclear === undefined) return;
  const outcome = isPushed(world, unclear) ? "happened" : "retry";
  const { ring } = await approvals.reconcile(
    world.as("owner"),
    [world.workspaceId],
    { runId, approvalId: unclear.id, outcome, comment: "as seen at the server" },
    900,
    world.deps.vault,
  );
  bells.push(...ring.map((id) => ({ runId: id, delayMs: undefined })));
};
