import type { Human } from "@aiw/contract/actors";
import { isEndpointAddress, isServerName, type McpPurpose } from "@aiw/contract/mcp";
import { Problem } from "@aiw/contract/problem";
import type { Job, McpServer } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation, transaction, type Tx } from "@aiw/platform/db";
import { type Egress, EgressError } from "@aiw/platform/egress";
import { lastFour, type Vault } from "@aiw/platform/vault";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { open } from "../jobs/open.ts";
import { secretContext } from "./secret.ts";
import { views } from "./view.ts";

export interface NewServer {
  /** Short name, the first part of every tool's id; it stays. */
  readonly name: string;
  readonly url: string;
  readonly purpose: McpPurpose;
  readonly token?: string | null | undefined;
}

export interface ServerEdges {
  readonly vault: Vault;
  /** The network guard of MCP servers: AIW_MCP_ALLOWED_HOSTS (SRC-3). */
  readonly egress: Pick<Egress, "check">;
}

/**
 * Makes a server known to the platform and asks for its tools (MCP-1). Nothing of it can be called before an admin classified
 * its tools (POL-4) and a workspace connected it. Audited; the token is sealed for this row.
 * @returns the server and the job, to be rung
 * @throws Problem forbidden | bad_request (name) | source_url_invalid | source_host_not_allowed | name_taken
 */
export async function register(
  ctx: Ctx<Human>,
  input: NewServer,
  edges: ServerEdges,
): Promise<{ readonly server: McpServer; readonly job: Job }> {
  await requirePlatformAdmin(ctx);
  const url = readEndpoint(input.url, edges.egress);
  const { userId } = ctx.actor;
  try {
    return await transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
      if (!isServerName(input.name, await nativeGroups(tx)))
        throw new Problem("bad_request", { fields: { name: "invalid" } });
      const id = await insert(tx, userId, { ...input, url }, edges.vault);
      await audit.write(tx, {
        workspaceId: null,
        actor: audit.human(userId),
        event: "mcp_server.registered",
        objectKind: "mcp_server",
        objectId: id,
        source: "api",
        data: { name: input.name, url, purpose: input.purpose, withSecret: (input.token ?? null) !== null },
      });
      const job = await open(tx, { workspaceId: null, kind: "tool_discovery", subjectId: id, createdBy: userId });
      const [server] = await views(tx, id);
      if (server === undefined) throw new Error("the server is missing");
      return { server, job };
    });
  } catch (error) {
    if (isUniqueViolation(error, "mcp_servers_name"))
      throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

async function nativeGroups(tx: Tx): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select distinct split_part(id, '.', 1) as name from tools where kind = 'native'`;
  return rows.map((row) => row.name);
}

async function insert(tx: Tx, userId: string, input: NewServer, vault: Vault): Promise<string> {
  const [fresh] = await tx<{ id: string }[]>`select uuidv7() as id`;
  if (fresh === undefined) throw new Error("the database gave no id");
  const token = input.token ?? null;
  const sealed = token === null ? null : await vault.seal(token, secretContext(fresh.id));
  await tx`
    insert into mcp_servers (id, name, url, purpose, secret, secret_last4, created_by)
    values (${fresh.id}, ${input.name}, ${input.url}, ${input.purpose}, ${sealed}, ${token === null ? null : lastFour(token)}, ${userId})`;
  return fresh.id;
}

/** @throws Problem source_url_invalid | source_host_not_allowed */
function readEndpoint(text: string, egress: Pick<Egress, "check">): string {
  const invalid = (cause?: unknown): Problem =>
    new Problem("source_url_invalid", { fields: { url: "invalid" }, cause });
  if (!isEndpointAddress(text)) throw invalid();
  try {
    return egress.check(text).href;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.code !== "host_not_allowed" && error.code !== "address_not_allowed") throw invalid(error);
    throw new Problem("source_host_not_allowed", { params: { host: error.host }, fields: { url: "host_not_allowed" } });
  }
}
