import type { Human, Member } from "@aiw/contract/actors";
import type { StopMark } from "@aiw/contract/policies";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin, requirePlatformAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { fp } from "@aiw/platform/fault";

/** The stop switch of a workspace and of the platform; null: not thrown. */
export interface WriteStop {
  readonly workspace: StopMark;
  readonly platform: StopMark;
}

/** Whether writes to the outside are stopped here, for members (POL-13). */
export const writeStop = (ctx: Ctx<Member>): Promise<WriteStop> =>
  inWorkspace(ctx, (tx) => marks(tx, ctx.actor.workspaceId));

/** Whether they are stopped everywhere. @throws Problem forbidden */
export async function platformWriteStop(ctx: Ctx<Human>): Promise<Pick<WriteStop, "platform">> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, async (tx) => ({
    platform: await platformMark(tx),
  }));
}

/**
 * Stops all writes of the workspace to the outside, or lets them go on (POL-13). Once this has returned no further call goes
 * out; one that had begun is not cut in half. Requests stay as they are; approved ones wait and are sent on by the sweeper
 * when nothing stops them any more, unless their time to execute is over by then (APR-3). Audited.
 * @throws Problem forbidden
 */
export async function setWriteStop(ctx: Ctx<Member>, stopped: boolean): Promise<WriteStop> {
  await requireAdmin(ctx);
  const { workspaceId, userId } = ctx.actor;
  return fp("writes.stop", () =>
    inWorkspace(ctx, async (tx) => {
      await afterClaims(tx);
      const rows = await tx`
      update workspaces set writes_stopped_at = ${stopped ? tx`aiw_now()` : null}, writes_stopped_by = ${stopped ? userId : null}
       where id = ${workspaceId} and (writes_stopped_at is null) = ${stopped} returning id`;
      if (rows.length > 0) await tell(tx, userId, workspaceId, stopped);
      return marks(tx, workspaceId);
    }),
  );
}

/** The same for all workspaces at once. Audited. @throws Problem forbidden */
export async function setPlatformWriteStop(ctx: Ctx<Human>, stopped: boolean): Promise<Pick<WriteStop, "platform">> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return fp("writes.stop_all", () =>
    transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
      await afterClaims(tx);
      const rows = await tx`
      update platform_settings set writes_stopped_at = ${stopped ? tx`aiw_now()` : null}, writes_stopped_by = ${stopped ? userId : null}
       where (writes_stopped_at is null) = ${stopped} returning only_row`;
      if (rows.length > 0) await tell(tx, userId, null, stopped);
      return { platform: await platformMark(tx) };
    }),
  );
}

/** Waits for the claims that have seen the switch as it was; later ones wait for this transaction (`claimExecution`). */
const afterClaims = async (tx: Tx): Promise<void> => {
  await tx`select pg_advisory_xact_lock(hashtextextended('aiw.writes', 0))`;
};

const tell = (tx: Tx, userId: string, workspaceId: string | null, stopped: boolean): Promise<void> =>
  audit.write(tx, {
    workspaceId,
    actor: audit.human(userId),
    event: stopped ? "writes.stopped" : "writes.resumed",
    objectKind: workspaceId === null ? "platform" : "workspace",
    ...(workspaceId === null ? {} : { objectId: workspaceId }),
    source: "api",
  });

interface Row {
  readonly at: Date | null;
  readonly by_id: string | null;
  readonly name: string | null;
  readonly display_name: string | null;
}

const toMark = (row: Row | undefined): StopMark =>
  row === undefined || row.at === null
    ? null
    : {
        at: row.at.toISOString(),
        by: row.by_id === null ? null : { id: row.by_id, name: row.name ?? "", displayName: row.display_name ?? "" },
      };

async function platformMark(tx: Tx): Promise<StopMark> {
  const [row] = await tx<Row[]>`
    select p.writes_stopped_at as at, u.id as by_id, u.name, u.display_name
      from platform_settings p left join users u on u.id = p.writes_stopped_by`;
  return toMark(row);
}

async function marks(tx: Tx, workspaceId: string): Promise<WriteStop> {
  const [row] = await tx<Row[]>`
    select w.writes_stopped_at as at, u.id as by_id, u.name, u.display_name
      from workspaces w left join users u on u.id = w.writes_stopped_by where w.id = ${workspaceId}`;
  return { workspace: toMark(row), platform: await platformMark(tx) };
}
