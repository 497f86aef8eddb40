import type { System } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";

/**
 * Lets the model that configuration names (AIW_MODEL) stand at the gateway of the environment, once at each start of a
 * version. What admins set beside its name stays; when they added a model of this name themselves, nothing changes.
 */
export async function ensureConfigured(ctx: Ctx<System>, name: string): Promise<void> {
  await transaction(
    ctx.db,
    { workspaces: [] },
    (tx) => tx`
    update models m set display_name = case when m.display_name = m.name then ${name} else m.display_name end, name = ${name},
           version = version + 1, last_test = null, last_test_at = null
     where m.configured and m.name <> ${name}
       and not exists (select from models o where o.endpoint_id = m.endpoint_id and o.name = ${name} and o.removed_at is null)`,
  );
}
