import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Source } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, type Tx } from "@aiw/platform/db";
import { lastFour, type Vault } from "@aiw/platform/vault";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { readName } from "../identity/names.ts";
import { inWorkspace } from "../identity/scope.ts";
import { one } from "./get.ts";
import { refuseCombination } from "./labels.ts";
import { secretContext } from "./secret.ts";

export interface ServerConnection {
  readonly serverId: string;
  readonly name: string;
  /** The workspace's own; without one the platform's is used, where there is one (MCP-1). */
  readonly token?: string | null | undefined;
  readonly confirmed: boolean;
}

/**
 * Connects a registered MCP server as a source, untested (MCP-1, SRC-2): once per workspace, with the admin's confirmation
 * that all members may see its data; audited like any other source.
 * @throws Problem forbidden | confirmation_required | not_found (no such server) | mcp_server_connected | name_taken |
 * bad_request (name) | dangerous_combination (POL-11)
 */
export async function connectServer(ctx: Ctx<Member>, input: ServerConnection, vault: Vault): Promise<Source> {
  await requireAdmin(ctx);
  if (!input.confirmed) throw new Problem("confirmation_required", { fields: { confirmed: "required" } });
  const name = readName(input.name, "name");
  const { workspaceId } = ctx.actor;
  try {
    return await inWorkspace(ctx, async (tx) => {
      const [server] = await tx<Server[]>`
        select name, url from mcp_servers where id = ${input.serverId} and removed_at is null`;
      if (server === undefined) throw new Problem("not_found");
      await refuseCombination(tx, workspaceId, server.name);
      const id = await insert(tx, ctx.actor, name, input, vault);
      await tell(tx, ctx.actor, id, name, server, input);
      return one(tx, workspaceId, id);
    });
  } catch (error) {
    if (isUniqueViolation(error, "sources_server")) throw new Problem("mcp_server_connected", { cause: error });
    if (isUniqueViolation(error, "sources_name"))
      throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

interface Server {
  readonly name: string;
  readonly url: string;
}

async function insert(tx: Tx, actor: Member, name: string, input: ServerConnection, vault: Vault): Promise<string> {
  const [fresh] = await tx<{ id: string }[]>`select uuidv7() as id`;
  if (fresh === undefined) throw new Error("the database gave no id");
  const token = input.token ?? null;
  const sealed = token === null ? null : await vault.seal(token, secretContext(fresh.id));
  await tx`
    insert into sources (id, workspace_id, kind, name, config, server_id, secret, secret_last4, confirmed_by, created_by)
    values (${fresh.id}, ${actor.workspaceId}, 'mcp', ${name}, '{}', ${input.serverId}, ${sealed},
            ${token === null ? null : lastFour(token)}, ${actor.userId}, ${actor.userId})`;
  return fresh.id;
}

async function tell(
  tx: Tx,
  actor: Member,
  id: string,
  name: string,
  server: Server,
  input: ServerConnection,
): Promise<void> {
  const entry = {
    workspaceId: actor.workspaceId,
    actor: audit.human(actor.userId),
    objectKind: "source",
    objectId: id,
    source: "api",
  };
  const withSecret = (input.token ?? null) !== null;
  await audit.write(tx, {
    ...entry,
    event: "source.created",
    data: { name, kind: "mcp", server: server.name, url: server.url, withSecret },
  });
  await audit.write(tx, { ...entry, event: "source.visibility_confirmed", data: { name } });
}
