import type { Human } from "@aiw/contract/actors";
import type { LimitSettings, LimitValues } from "@aiw/contract/operation";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";

/** What the installation sets; nothing stored goes above it (RUN-10). */
type Defaults = LimitSettings["defaults"];

/** The bounds of every run, for platform admins (RUN-10, ADM-1). @throws Problem forbidden */
export const get = async (ctx: Ctx<Human>, defaults: Defaults): Promise<LimitSettings> => {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, (tx) => read(tx, defaults));
};

/**
 * Sets the bounds, if they still are in this version; they hold from the next step of every run on. Audited.
 * @throws Problem forbidden | bad_request (above the installation's) | conflict
 */
export const set = async (
  ctx: Ctx<Human>,
  defaults: Defaults,
  { version, ...values }: LimitValues & { readonly version: number },
): Promise<LimitSettings> => {
  await requirePlatformAdmin(ctx);
  const above = NAMES.filter((name) => (values[name] ?? 0) > defaults[name]);
  if (above.length > 0)
    throw new Problem("bad_request", { fields: Object.fromEntries(above.map((name) => [name, "too_large"])) });
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const before = await read(tx, defaults);
    const changed = await tx`
      update platform_settings set max_model_calls = ${values.modelCalls}, max_run_tokens = ${values.runTokens},
             max_run_wall_s = ${values.runWallS}, max_tool_result_bytes = ${values.toolResultBytes},
             max_identical_calls = ${values.identicalCalls}, limits_version = limits_version + 1
        where limits_version = ${version} returning 1`;
    if (changed.length === 0) throw new Problem("conflict");
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(userId),
      event: "limits.changed",
      objectKind: "platform",
      source: "api",
      data: { before: before.values, after: values },
    });
    return read(tx, defaults);
  });
};

const NAMES = ["modelCalls", "runTokens", "runWallS", "toolResultBytes", "identicalCalls"] as const;

const read = async (tx: Tx, defaults: Defaults): Promise<LimitSettings> => {
  const [row] = await tx<(LimitValues & { version: number })[]>`
    select max_model_calls as "modelCalls", max_run_tokens as "runTokens", max_run_wall_s as "runWallS",
           max_tool_result_bytes as "toolResultBytes", max_identical_calls as "identicalCalls", limits_version as version
      from platform_settings`;
  if (row === undefined) throw new Error("the platform has no settings");
  const { version, ...values } = row;
  return { values, defaults, version };
};
