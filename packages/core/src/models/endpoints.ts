import type { Human } from "@aiw/contract/actors";
import { isEndpointAddress } from "@aiw/contract/mcp";
import type { GatewayApi, ModelEndpoint } from "@aiw/contract/models";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction, type Tx } from "@aiw/platform/db";
import { type Egress, EgressError } from "@aiw/platform/egress";
import type { Vault } from "@aiw/platform/vault";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { readName } from "../identity/names.ts";
import { putKey } from "./keys.ts";
import { requireNoDefault } from "./save.ts";
import { endpointView } from "./view.ts";

export interface EndpointEdges {
  readonly vault: Vault;
  /** The network guard for a gateway at this address (SRC-3); throws EgressError for what is no URL. */
  readonly guard: (url: string) => Pick<Egress, "check" | "close">;
}

export interface NewEndpoint {
  readonly name: string;
  readonly url: string;
  readonly api: GatewayApi;
  readonly key: string | null;
}

/**
 * Adds a gateway (GW-2). Its address is for good, because keys are given for it; the shared key is sealed. Nothing is asked
 * there before somebody fetches its models. Audited.
 * @throws Problem forbidden | bad_request (name) | gateway_url_invalid | gateway_host_not_allowed | name_taken
 */
export async function createEndpoint(
  ctx: Ctx<Human>,
  input: NewEndpoint,
  edges: EndpointEdges,
): Promise<ModelEndpoint> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const name = readName(input.name, "name");
  const url = readAddress(input.url, edges.guard);
  return named(ctx, async (tx) => {
    const [made] = await tx<{ id: string }[]>`
      insert into model_endpoints (name, url, api, created_by) values (${name}, ${url}, ${input.api}, ${userId}) returning id`;
    if (made === undefined) throw new Error("the new gateway has no id");
    if (input.key !== null)
      await putKey(tx, { endpointId: made.id, teamId: null, key: input.key, userId }, edges.vault);
    await tell(tx, userId, "model_endpoint.added", made.id, {
      name,
      url,
      api: input.api,
      withKey: input.key !== null,
    });
    return endpointView(tx, made.id);
  });
}

/** Renames a gateway or changes the API it speaks. Audited. @throws Problem forbidden | not_found | bad_request (name) | name_taken */
export async function updateEndpoint(
  ctx: Ctx<Human>,
  endpointId: string,
  input: { readonly name: string; readonly api: GatewayApi },
): Promise<ModelEndpoint> {
  await requirePlatformAdmin(ctx);
  const name = readName(input.name, "name");
  return named(ctx, async (tx) => {
    const rows = await tx`
      update model_endpoints set name = ${name}, api = ${input.api} where id = ${endpointId} and removed_at is null returning id`;
    if (rows.length === 0) throw new Problem("not_found");
    await tell(tx, ctx.actor.userId, "model_endpoint.changed", endpointId, { name, api: input.api });
    return endpointView(tx, endpointId);
  });
}

/**
 * Removes a gateway: its keys are erased and its models answer nothing any more. Audited.
 * @throws Problem forbidden | not_found (also for the gateway of the environment) | model_in_use: one of its models stands for a class
 */
export async function removeEndpoint(ctx: Ctx<Human>, endpointId: string): Promise<void> {
  await requirePlatformAdmin(ctx);
  await named(ctx, async (tx) => {
    const [row] = await tx<{ name: string }[]>`
      select name from model_endpoints where id = ${endpointId} and removed_at is null and url is not null for update`;
    if (row === undefined) throw new Problem("not_found");
    const models = await tx<
      { id: string }[]
    >`select id from models where endpoint_id = ${endpointId} order by id for update`;
    await requireNoDefault(
      tx,
      models.map(({ id }) => id),
    );
    await tx`delete from model_keys where endpoint_id = ${endpointId}`;
    await tx`update models set removed_at = aiw_now(), active = false where endpoint_id = ${endpointId} and removed_at is null`;
    await tx`update model_endpoints set removed_at = aiw_now() where id = ${endpointId}`;
    await tell(tx, ctx.actor.userId, "model_endpoint.removed", endpointId, { name: row.name });
  });
}

async function named<T>(ctx: Ctx<Human>, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, work);
  } catch (error) {
    if (isUniqueViolation(error, "model_endpoints_name"))
      throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

const tell = (
  tx: Tx,
  userId: string,
  event: string,
  endpointId: string,
  data: Readonly<Record<string, string | boolean>>,
): Promise<void> =>
  audit.write(tx, {
    workspaceId: null,
    actor: audit.human(userId),
    event,
    objectKind: "model_endpoint",
    objectId: endpointId,
    source: "api",
    data,
  });

/** @throws Problem gateway_url_invalid | gateway_host_not_allowed */
function readAddress(text: string, guard: EndpointEdges["guard"]): string {
  const invalid = (cause?: unknown): Problem =>
    new Problem("gateway_url_invalid", { fields: { url: "invalid" }, cause });
  // Paths are put behind the address, which leaves no room for a query.
  if (!isEndpointAddress(text) || new URL(text).search !== "") throw invalid();
  let egress: ReturnType<EndpointEdges["guard"]> | undefined;
  try {
    egress = guard(text);
    return egress.check(text).href.replace(/\/+$/, "");
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.code !== "host_not_allowed" && error.code !== "address_not_allowed") throw invalid(error);
    throw new Problem("gateway_host_not_allowed", {
      params: { host: error.host },
      fields: { url: "host_not_allowed" },
    });
  } finally {
    egress?.close();
  }
}
