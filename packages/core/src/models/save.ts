import type { Human } from "@aiw/contract/actors";
import type { AdminModel, ModelAdministration, ModelClass, ModelDefaults } from "@aiw/contract/models";
import { MODEL_CLASSES } from "@aiw/contract/models";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { readName } from "../identity/names.ts";
import { administration, defaultsOf, modelView } from "./view.ts";

export interface ModelFields {
  readonly displayName: string;
  readonly class: ModelClass;
  readonly tools: boolean;
  readonly streaming: boolean;
  readonly contextWindow: number | null;
  /** Money for one million tokens. */
  readonly priceIn: number | null;
  readonly priceCachedIn: number | null;
  readonly priceOut: number | null;
  readonly active: boolean;
}

/** Gateways, models, marks of keys and defaults, for platform admins (GW-2). @throws Problem forbidden */
export async function list(ctx: Ctx<Human>): Promise<ModelAdministration> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, administration);
}

/**
 * Adds a model of a gateway (GW-2). Audited.
 * @throws Problem forbidden | not_found (gateway) | bad_request (displayName) | name_taken
 */
export async function create(
  ctx: Ctx<Human>,
  input: ModelFields & { readonly endpointId: string; readonly name: string },
): Promise<AdminModel> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const displayName = readName(input.displayName, "displayName");
  const taken = (error: unknown): never => {
    if (!isUniqueViolation(error, "models_name")) throw error;
    throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
  };
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const rows = await tx<{ id: string }[]>`
      insert into models (endpoint_id, name, display_name, class, tools, streaming, context_window, price_in, price_cached_in, price_out,
                          active, created_by)
      select e.id, ${input.name}, ${displayName}, ${input.class}, ${input.tools}, ${input.streaming}, ${input.contextWindow}, ${input.priceIn},
             ${input.priceCachedIn}, ${input.priceOut}, ${input.active}, ${userId}
        from model_endpoints e where e.id = ${input.endpointId} and e.removed_at is null returning id`;
    const id = rows[0]?.id;
    if (id === undefined) throw new Problem("not_found");
    await tell(tx, userId, "model.added", id, { name: input.name, endpoint: input.endpointId, ...told(input) });
    return modelView(tx, id);
  }).catch(taken);
}

/**
 * Changes a model; switching it off takes it from every chat with the next turn. Audited with old and new values.
 * @throws Problem forbidden | not_found | conflict (another version) | bad_request (displayName) | model_in_use
 */
export async function update(
  ctx: Ctx<Human>,
  modelId: string,
  fields: ModelFields & { readonly version: number },
): Promise<AdminModel> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const displayName = readName(fields.displayName, "displayName");
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    await tx`select from models where id = ${modelId} for update`;
    const before = await modelView(tx, modelId);
    if (before.version !== fields.version) throw new Problem("conflict");
    const after = { ...fields, displayName };
    const from = differences(before, after);
    if (Object.keys(from).length === 0) return before;
    if (before.active && !fields.active) await requireNoDefault(tx, [modelId]);
    await tx`
      update models set display_name = ${displayName}, class = ${fields.class}, tools = ${fields.tools}, streaming = ${fields.streaming},
             context_window = ${fields.contextWindow}, price_in = ${fields.priceIn}, price_cached_in = ${fields.priceCachedIn},
             price_out = ${fields.priceOut}, active = ${fields.active}, version = version + 1
       where id = ${modelId}`;
    await tell(tx, userId, "model.changed", modelId, { name: before.name, changes: from });
    return modelView(tx, modelId);
  });
}

/**
 * Removes a model. Chats and workspaces that chose it are answered by what the level above says. Audited.
 * @throws Problem forbidden | not_found | model_in_use: it stands for a class
 */
export async function remove(ctx: Ctx<Human>, modelId: string): Promise<void> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  await transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    await tx`select from models where id = ${modelId} for update`;
    const { name } = await modelView(tx, modelId);
    await requireNoDefault(tx, [modelId]);
    // The one that configuration names is only switched off: it would come back with the next start.
    await tx`update models set removed_at = aiw_now(), active = false where id = ${modelId} and not configured`;
    await tx`update models set active = false, version = version + 1 where id = ${modelId} and configured`;
    await tell(tx, userId, "model.removed", modelId, { name });
  });
}

/** @throws Problem model_in_use */
export async function requireNoDefault(tx: Tx, modelIds: readonly string[]): Promise<void> {
  const used = Object.values(await defaultsOf(tx));
  if (modelIds.some((id) => used.includes(id))) throw new Problem("model_in_use");
}

/**
 * Says which model answers for a class, platform-wide (GW-2); null: none does. Audited with old and new values.
 * @throws Problem forbidden | model_not_active
 */
export async function setDefaults(ctx: Ctx<Human>, wanted: ModelDefaults): Promise<ModelAdministration> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    // Takes turns with whoever removes a model.
    const ids = MODEL_CLASSES.flatMap((of) => wanted[of] ?? []);
    await tx`select from models where id = any (${ids}::uuid[]) order by id for share`;
    const active = await tx<{ id: string }[]>`select id from active_models where id = any (${ids}::uuid[])`;
    const missing = MODEL_CLASSES.filter((of) => wanted[of] !== null && !active.some(({ id }) => id === wanted[of]));
    if (missing.length > 0)
      throw new Problem("model_not_active", { fields: Object.fromEntries(missing.map((of) => [of, "invalid"])) });
    const before = await defaultsOf(tx);
    for (const of of MODEL_CLASSES) {
      if (wanted[of] === null) await tx`delete from model_defaults where class = ${of}`;
      else
        await tx`
          insert into model_defaults (class, model_id) values (${of}, ${wanted[of]})
          on conflict (class) do update set model_id = ${wanted[of]}`;
    }
    const changes = differences(before, wanted);
    if (Object.keys(changes).length > 0) await tell(tx, userId, "model.defaults_changed", null, { changes });
    return administration(tx);
  });
}

const tell = (tx: Tx, userId: string, event: string, modelId: string | null, data: JsonObject): Promise<void> =>
  audit.write(tx, {
    workspaceId: null,
    actor: audit.human(userId),
    event,
    objectKind: "model",
    ...(modelId === null ? {} : { objectId: modelId }),
    source: "api",
    data,
  });

const FIELDS = [
  "displayName",
  "class",
  "tools",
  "streaming",
  "contextWindow",
  "priceIn",
  "priceCachedIn",
  "priceOut",
  "active",
] as const satisfies readonly (keyof ModelFields)[];

const told = (fields: ModelFields): JsonObject => Object.fromEntries(FIELDS.map((key) => [key, fields[key]]));

type Value = string | number | boolean | null;
const differences = <T extends object>(before: T, after: T): JsonObject => {
  const old = new Map<string, Value>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after).flatMap(([key, to]: [string, Value]) => {
      const from = old.get(key);
      return key === "version" || from === to ? [] : [[key, { from: from ?? null, to }]];
    }),
  );
};
