import type { System } from "@aiw/contract/actors";
import type { JsonObject, ToolDefinition } from "@aiw/contract/tools";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { canonicalize } from "@aiw/policy/canonical";
import { definitionHash } from "@aiw/policy/freeze";
import * as audit from "../audit/write.ts";

export interface KnownTool {
  readonly definition: ToolDefinition;
  /** Kind of source the tool belongs to, such as "git". */
  readonly sourceKind: string;
  readonly kind: "native" | "mcp";
  /** Whether workspaces have it switched on until they say otherwise. */
  readonly defaultActive: boolean;
}

/** The whole definition as JSON; what is hashed (POL-6). */
export const definitionJson = (definition: ToolDefinition): JsonObject => ({
  id: definition.id,
  wireName: definition.wireName,
  description: definition.description,
  parameters: definition.parameters,
  suggestedRiskClass: definition.suggestedRiskClass,
  reconcile: definition.reconcile,
});

/** The identity of a definition as it is stored with the tool and bound by requests. */
export const hashOf = (definition: ToolDefinition): string => definitionHash(definitionJson(definition));

/**
 * Makes the tools of this version known; repeating it changes nothing. A definition that changed is unclassified again
 * and therefore denied until a platform admin looked at it (POL-4, POL-6); audited with both hashes.
 */
export async function register(
  ctx: Ctx<System>,
  tools: readonly KnownTool[],
): Promise<{ added: string[]; reset: string[] }> {
  return transaction(ctx.db, { workspaces: [] }, async (tx) => {
    // Processes that start together take turns, so that each change is seen and audited once.
    await tx`select pg_advisory_xact_lock(hashtextextended('aiw.tools', 0))`;
    const rows = await tx<{ id: string; definition_hash: string }[]>`select id, definition_hash from tools`;
    const known = new Map(rows.map((row) => [row.id, row.definition_hash]));
    const added: string[] = [];
    const reset: string[] = [];
    for (const tool of tools) {
      const before = known.get(tool.definition.id);
      const after = hashOf(tool.definition);
      if (before === after) continue;
      await save(tx, tool, after);
      (before === undefined ? added : reset).push(tool.definition.id);
      await audit.write(tx, {
        workspaceId: null,
        actor: audit.system,
        event: before === undefined ? "tool.discovered" : "tool.reset",
        objectKind: "tool",
        objectId: tool.definition.id,
        data: { before: before ?? null, after },
      });
    }
    if (reset.length > 0) await raisePolicyVersion(tx);
    return { added, reset };
  });
}

async function save(tx: Tx, tool: KnownTool, hash: string): Promise<void> {
  const { id, wireName, suggestedRiskClass } = tool.definition;
  const text = canonicalize(definitionJson(tool.definition));
  await tx`
    insert into tools (id, wire_name, kind, source_kind, definition, definition_hash, suggested_risk_class, default_active)
    values (${id}, ${wireName}, ${tool.kind}, ${tool.sourceKind}, ${text}, ${hash}, ${suggestedRiskClass}, ${tool.defaultActive})
    on conflict (id) do update set wire_name = excluded.wire_name, source_kind = excluded.source_kind,
      definition = excluded.definition, definition_hash = excluded.definition_hash,
      suggested_risk_class = excluded.suggested_risk_class, risk_class = null, decision = null, classified_by = null,
      classified_at = null, version = tools.version + 1`;
}

/** Marks that the platform's part of policy changed; open requests are judged by the newer one (APR-3). */
export async function raisePolicyVersion(tx: Tx): Promise<void> {
  await tx`update platform_settings set policy_version = policy_version + 1`;
}

/**
 * Accepts the suggested classes of native tools that nobody classified so far, in the name of a platform admin (POL-5);
 * for the first start of a demonstration. Tools that were reset, and MCP tools, are never touched.
 * @returns ids of the tools classified now
 */
export async function acceptSuggestions(ctx: Ctx<System>, userId: string): Promise<string[]> {
  return transaction(ctx.db, { workspaces: [] }, async (tx) => {
    const rows = await tx<{ id: string; risk_class: string }[]>`
      update tools set risk_class = suggested_risk_class, classified_by = ${userId}, classified_at = aiw_now(), version = version + 1
       where kind = 'native' and risk_class is null and version = 1 returning id, risk_class`;
    for (const row of rows) {
      await audit.write(tx, {
        workspaceId: null,
        actor: audit.human(userId),
        event: "tool.classified",
        objectKind: "tool",
        objectId: row.id,
        data: { riskClass: row.risk_class, suggestionAccepted: true },
      });
    }
    if (rows.length > 0) await raisePolicyVersion(tx);
    return rows.map((row) => row.id);
  });
}
