import type { System } from "@aiw/contract/actors";
import type { JsonObject, RiskClass } from "@aiw/contract/tools";
import type { McpDiscovery } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import type { ClaimedJob } from "../jobs/claim.ts";
import { finish, scopeOf } from "../jobs/finish.ts";
import { canonical } from "../tools/canonical.ts";

/** A registered server as its discovery needs it; the secret is still sealed. */
export interface ServerToAsk {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly purpose: string;
  readonly secret: string | null;
}

/** What the job asks; null when the server was removed. */
export async function forDiscovery(ctx: Ctx<System>, job: ClaimedJob): Promise<ServerToAsk | null> {
  const [row] = await transaction(
    ctx.db,
    scopeOf(job),
    (tx) => tx<ServerToAsk[]>`
    select id, name, url, purpose, secret from mcp_servers where id = ${job.subjectId} and removed_at is null`,
  );
  return row ?? null;
}

/** What a server offers. Everything in it was written by the server. */
export interface Discovered {
  readonly protocolVersion: string;
  readonly serverName: string;
  readonly serverVersion: string;
  readonly instructions: string | null;
  readonly instructionsHash: string | null;
  readonly tools: readonly {
    readonly id: string;
    readonly wireName: string;
    /** The raw definition as the server sent it. */
    readonly wire: JsonObject;
    readonly suggestedRiskClass: RiskClass;
    readonly findings: readonly string[];
  }[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  readonly incomplete: string | null;
}

/** Runs that go on because their request ended, to be rung. */
export interface Woken {
  readonly runId: string;
  readonly teamId: string;
}

interface Change {
  readonly tool: string;
  readonly change: "added" | "reset" | "returned" | "missing";
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Stores what a server offers and ends the job, in one transaction (MCP-1, POL-6). New tools are unclassified; a tool whose
 * definition changed, and every tool when the server's instructions did, is unclassified again, and open requests for it
 * become invalid (superseded). A tool that is gone cannot be called and keeps its classification for when it is back
 * unchanged. Each change is audited with both hashes. Nothing happens when the job is not this attempt's any more.
 */
export async function recordDiscovery(ctx: Ctx<System>, job: ClaimedJob, found: Discovered): Promise<readonly Woken[]> {
  return transaction(ctx.db, scopeOf(job), async (tx) => {
    if (!(await finish(tx, job, { errorCode: null }))) return [];
    const tools = found.tools.map(({ id, wireName, wire, suggestedRiskClass, findings }) => ({
      id,
      wireName,
      definition: canonical.text(wire),
      hash: canonical.hash(wire),
      suggestedRiskClass,
      findings: [...findings],
    }));
    const changes = await tx<Change[]>`
      select tool, change, before, after from tools_discovered_v1(${job.subjectId}::uuid, ${found.instructionsHash}, ${tx.json(tools)})`;
    await keepReport(tx, job.subjectId, found, changes);
    for (const change of changes) await tell(tx, job, change);
    const reset = changes.flatMap(({ tool, change }) => (change === "reset" ? [tool] : []));
    return reset.length === 0 ? [] : supersede(tx, reset);
  });
}

/** Records that the server could not be asked; what is known of its tools stays. `code` is one of contract/problem. */
export async function recordFailure(ctx: Ctx<System>, job: ClaimedJob, code: string): Promise<void> {
  await transaction(ctx.db, scopeOf(job), async (tx) => {
    if (!(await finish(tx, job, { errorCode: null }))) return;
    const report: McpDiscovery = { ...NOTHING, ok: false, code };
    await tx`
      update mcp_servers set last_discovery_at = aiw_now(), last_discovery = ${tx.json(toJson(report))}
       where id = ${job.subjectId} and removed_at is null`;
  });
}

/** A removed server: closes the open requests for its tools and ends the job. */
export async function recordRemoval(ctx: Ctx<System>, job: ClaimedJob): Promise<readonly Woken[]> {
  return transaction(ctx.db, scopeOf(job), async (tx) => {
    if (!(await finish(tx, job, { errorCode: null }))) return [];
    // The name may be another server's by now; its tools are unclassified at most and have no open requests yet.
    const rows = await tx<{ id: string }[]>`
      select t.id from tools t join mcp_servers m on t.source_kind = 'mcp:' || m.name
       where m.id = ${job.subjectId} and m.removed_at is not null and t.risk_class is null`;
    return rows.length === 0
      ? []
      : supersede(
          tx,
          rows.map((row) => row.id),
        );
  });
}

const NOTHING: McpDiscovery = {
  ok: true,
  code: null,
  serverName: "",
  serverVersion: "",
  protocolVersion: "",
  tools: 0,
  skipped: [],
  incomplete: null,
  changes: { added: [], reset: [], returned: [], missing: [] },
};

/** Names of what was left out that are kept, so that a server cannot fill a row. */
const MAX_SKIPPED = 100;

async function keepReport(tx: Tx, serverId: string, found: Discovered, changes: readonly Change[]): Promise<void> {
  const of = (kind: Change["change"]): string[] => changes.filter((c) => c.change === kind).map((c) => c.tool);
  const report: McpDiscovery = {
    ...NOTHING,
    serverName: found.serverName,
    serverVersion: found.serverVersion,
    protocolVersion: found.protocolVersion,
    tools: found.tools.length,
    skipped: found.skipped.slice(0, MAX_SKIPPED).map(({ name, reason }) => ({ name, reason })),
    incomplete: found.incomplete,
    changes: { added: of("added"), reset: of("reset"), returned: of("returned"), missing: of("missing") },
  };
  const instructions = found.instructions === null ? null : storable(found.instructions);
  await tx`
    update mcp_servers set last_discovery_at = aiw_now(), last_discovery = ${tx.json(toJson(report))},
           previous_instructions = case when instructions_hash is distinct from ${found.instructionsHash} then instructions else previous_instructions end,
           instructions = ${instructions}, instructions_hash = ${found.instructionsHash}
     where id = ${serverId} and removed_at is null`;
}

async function tell(tx: Tx, job: ClaimedJob, { tool, change, before, after }: Change): Promise<void> {
  await audit.write(tx, {
    workspaceId: null,
    actor: audit.system,
    event: EVENTS[change],
    objectKind: "tool",
    objectId: tool,
    source: "job",
    data: { server: job.subjectId, before, after },
  });
}

const EVENTS = {
  added: "tool.discovered",
  reset: "tool.reset",
  returned: "tool.returned",
  missing: "tool.missing",
} satisfies Record<Change["change"], string>;

async function supersede(tx: Tx, tools: readonly string[]): Promise<readonly Woken[]> {
  const rows = await tx<{ run_id: string; team_id: string }[]>`
    select run_id, team_id from tools_supersede_v1(${[...tools]}::text[])`;
  return rows.map((row) => ({ runId: row.run_id, teamId: row.team_id }));
}

const toJson = (report: McpDiscovery): JsonObject => JSON.parse(JSON.stringify(report)) as JsonObject;

/** Text as a database can hold it; the hash is of what was sent. */
const storable = (text: string): string => text.replaceAll("\u0000", "").toWellFormed();
