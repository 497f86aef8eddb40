import type { Human } from "@aiw/contract/actors";
import type { ModelEndpoint } from "@aiw/contract/models";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { lastFour, type Vault } from "@aiw/platform/vault";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { keyContext } from "./model.ts";
import { endpointView } from "./view.ts";

/** The key of one team for a gateway, or of all that have no own (teamId null). */
export interface KeyPlace {
  readonly endpointId: string;
  readonly teamId: string | null;
}

/**
 * Sets or erases (null) a key (GW-3). It is sealed for its gateway and team, shown by its last four characters alone, and
 * counts from the next model call on. Audited without the key.
 * @throws Problem forbidden | not_found (gateway, team)
 */
export async function setKey(
  ctx: Ctx<Human>,
  place: KeyPlace,
  key: string | null,
  vault: Vault,
): Promise<ModelEndpoint> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const { endpointId, teamId } = place;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    // Takes turns with the removal of the gateway, which erases its keys.
    const found = await tx`
      select from model_endpoints where id = ${endpointId} and removed_at is null
         and (${teamId}::uuid is null or exists (select from teams where id = ${teamId})) for share`;
    if (found.length === 0) throw new Problem("not_found");
    if (key === null)
      await tx`delete from model_keys where endpoint_id = ${endpointId} and team_id is not distinct from ${teamId}`;
    else await putKey(tx, { ...place, key, userId }, vault);
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(userId),
      event: key === null ? "model_key.erased" : "model_key.replaced",
      objectKind: "model_endpoint",
      objectId: endpointId,
      source: "api",
      data: { teamId, ...(key === null ? {} : { last4: lastFour(key) }) },
    });
    return endpointView(tx, endpointId);
  });
}

export async function putKey(
  tx: Tx,
  input: KeyPlace & { readonly key: string; readonly userId: string },
  vault: Vault,
): Promise<void> {
  const { endpointId, teamId, key, userId } = input;
  const sealed = await vault.seal(key, keyContext(endpointId, teamId));
  await tx`
    insert into model_keys (endpoint_id, team_id, secret, secret_last4, changed_by)
    values (${endpointId}, ${teamId}, ${sealed}, ${lastFour(key)}, ${userId})
    on conflict (endpoint_id, team_id) do update
       set secret = ${sealed}, secret_last4 = ${lastFour(key)}, changed_by = ${userId}, changed_at = aiw_now()`;
}
