import { randomUUID } from "node:crypto";
import * as approvals from "@aiw/core/approvals";
import { sweep, type SweepReport } from "@aiw/engine/sweep";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import type { Request } from "./rows.ts";
import type { Role, World } from "./world.ts";

export { violations } from "./oracle.ts";
export * from "./rows.ts";

export interface Call {
  readonly name: string;
  readonly arguments: string | Readonly<Record<string, unknown>>;
  readonly callId?: string;
}

/** A proposal of one replacement; in the discount rule unless it says otherwise. */
export const propose = (replace = "total >= 100", find = "total > 100", path = "src/discount.ts"): Call => ({
  name: "propose_change",
  arguments: {
    title: `Change ${path}`,
    description: "Why: as agreed.",
    files: [{ path, replacements: [{ find, replace }] }],
  },
});
export const readFile = (path: string): Call => ({ name: "git_read_file", arguments: { path } });

/** A word no other conversation has, so that the scripted model knows which one it is in. */
export const topic = (): string => `topic-${randomUUID()}`;

interface DecideOptions {
  readonly reason?: string;
  readonly seenHash?: string | null;
  readonly endRun?: boolean;
  readonly response?: string;
}

/** One decision by the one service every channel uses. */
export const decide = (
  world: Pick<World, "as" | "workspaceId" | "deps">,
  role: Role,
  request: Pick<Request, "id" | "snapshot_hash">,
  vote: "approved" | "rejected",
  options: DecideOptions = {},
) =>
  approvals.decide(
    world.as(role),
    role === "global" || role === "outsider" || role === "admin" ? [] : [world.workspaceId],
    {
      approvalId: request.id,
      vote,
      reason: options.reason ?? (vote === "rejected" ? "not now" : null),
      seenHash: options.seenHash === undefined ? request.snapshot_hash : options.seenHash,
      channel: "page",
      ...(options.endRun === undefined ? {} : { endRun: options.endRun }),
      ...(options.response === undefined ? {} : { response: options.response }),
    },
    900,
    world.deps.vault,
  );

export const sweepOnce = (world: Pick<World, "deps">): Promise<SweepReport> =>
  sweep({
    db: world.deps.db,
    log: world.deps.log,
    notify: world.deps.notify,
    ring: world.deps.ring,
    stepAttempts: world.deps.limits.stepAttempts,
    doorbellGraceS: 15,
  });

/**
 * Starts work and stops it for ever at a point, as a process that is gone: nothing of it runs on. False: it never came there.
 */
export const stopAt = async (at: string, nth: number, work: () => Promise<unknown>): Promise<boolean> => {
  let count = 0;
  let unlisten = (): void => undefined;
  const reached = new Promise<true>((resolve) => {
    unlisten = onPoint((point) => {
      if (point === at && (count += 1) === nth) resolve(true);
    });
  });
  setFaultPlan({ rules: [{ at, nth, act: "hang" }] });
  const ended = work().then(
    () => false as const,
    () => false as const,
  );
  const stopped = await Promise.race([reached, ended]);
  unlisten();
  // The one that hangs has read its rule by now; whoever comes later runs without it.
  await Promise.resolve();
  setFaultPlan(undefined);
  return stopped;
};

/** A value once it is there; fails after `ms`. For what another process or connection has to do first. */
export const eventually = async <T>(look: () => Promise<T | undefined>, ms = 5000): Promise<T> => {
  const end = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error("it did not happen in time");
    await new Promise((resolve) => setImmediate(resolve));
  }
};
