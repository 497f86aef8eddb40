import type { Human } from "@aiw/contract/actors";
import type { ToolSettingsInput } from "@aiw/contract/mcp";
import { Problem } from "@aiw/contract/problem";
import type { ApprovalLevel, JsonObject, PolicyDecision, RiskClass } from "@aiw/contract/tools";
import type { AdminTool } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import { raisePolicyVersion } from "./register.ts";
import { descriptionOf, type ToolRow } from "./row.ts";
import { readSettings, toJson } from "./settings.ts";

interface Row extends ToolRow {
  readonly classified_by: string | null;
  readonly classifier_name: string | null;
  readonly classifier_display: string | null;
  readonly classified_at: Date | null;
}

/** All tools with their classification, for platform admins (POL-4). @throws Problem forbidden */
export async function adminList(ctx: Ctx<Human>): Promise<AdminTool[]> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, scopeOf(ctx), (tx) => views(tx, null));
}

export interface Classification {
  /** The version and definition the admin looked at. */
  readonly version: number;
  readonly definitionHash: string;
  /** Null: unclassified, and therefore denied. */
  readonly riskClass: RiskClass | null;
  /** Null: what the class says. */
  readonly decision: PolicyDecision | null;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
  /** For MCP tools (MCP-2); absent: those it has, which must still fit its definition. */
  readonly settings?: ToolSettingsInput | undefined;
}

/**
 * Classifies a tool (POL-4), if it still is what the admin saw; audited with old and new.
 * @throws Problem forbidden | not_found | conflict | bad_request (settings)
 */
export async function classify(ctx: Ctx<Human>, toolId: string, to: Classification): Promise<AdminTool> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, scopeOf(ctx), async (tx) => {
    const [before] = await tx<ToolRow[]>`select * from tools where id = ${toolId} for update`;
    if (before === undefined) throw new Problem("not_found");
    if (before.version !== to.version || before.definition_hash !== to.definitionHash) throw new Problem("conflict");
    const settings = await settingsFor(tx, before, to);
    await tx`
      update tools set risk_class = ${to.riskClass}, decision = ${to.decision}, level = ${to.level}, four_eyes = ${to.fourEyes}, settings = ${tx.json(settings)},
             classified_by = ${ctx.actor.userId}, classified_at = aiw_now(), version = version + 1
       where id = ${toolId}`;
    await raisePolicyVersion(tx);
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.human(ctx.actor.userId),
      event: "tool.classified",
      objectKind: "tool",
      objectId: toolId,
      source: "api",
      data: {
        definitionHash: to.definitionHash,
        from: {
          riskClass: before.risk_class,
          decision: before.decision,
          level: before.level,
          fourEyes: before.four_eyes,
          ...(before.kind === "mcp" ? { settings: toJson(before.settings) } : {}),
        },
        to: {
          riskClass: to.riskClass,
          decision: to.decision,
          level: to.level,
          fourEyes: to.fourEyes,
          ...(before.kind === "mcp" ? { settings } : {}),
        },
      },
    });
    const [after] = await views(tx, toolId);
    if (after === undefined) throw new Problem("not_found");
    return after;
  });
}

/** The settings to store. A tool that is not classified cannot be called, so what no longer fits may wait there. */
async function settingsFor(tx: Tx, tool: ToolRow, to: Classification): Promise<JsonObject> {
  if (tool.kind === "native") {
    if (to.settings !== undefined) throw new Problem("bad_request", { fields: { settings: "unknown" } });
    return {};
  }
  if (to.settings !== undefined) return toJson(await readSettings(tx, tool, to.settings));
  if (to.riskClass === null) return toJson(tool.settings);
  const { probe, ...rest } = tool.settings;
  if (probe === undefined) return toJson(await readSettings(tx, tool, rest));
  const { definitionHash, ...asked } = probe;
  const read = await readSettings(tx, tool, { ...rest, probe: asked });
  // Nobody looked at the probe's tool again since it changed.
  if (read.probe?.definitionHash !== definitionHash)
    throw new Problem("bad_request", { fields: { "settings.probe.tool": "invalid" } });
  return toJson(read);
}

const scopeOf = (ctx: Ctx<Human>): { workspaces: string[]; userId: string } => ({
  workspaces: [],
  userId: ctx.actor.userId,
});

async function views(tx: Tx, only: string | null): Promise<AdminTool[]> {
  const rows = await tx<Row[]>`
    select t.*, u.name as classifier_name, u.display_name as classifier_display
      from tools t left join users u on u.id = t.classified_by
     where ${only}::text is null or t.id = ${only} order by t.id`;
  return rows.map((row) => ({
    id: row.id,
    wireName: row.wire_name,
    description: descriptionOf(row.definition),
    suggestedRiskClass: row.suggested_risk_class,
    riskClass: row.risk_class,
    decision: row.decision,
    level: row.level,
    fourEyes: row.four_eyes,
    definition: row.definition,
    definitionHash: row.definition_hash,
    classifiedBy:
      row.classified_by === null
        ? null
        : { id: row.classified_by, name: row.classifier_name ?? "", displayName: row.classifier_display ?? "" },
    classifiedAt: row.classified_at?.toISOString() ?? null,
    version: row.version,
    server: row.kind === "mcp" ? row.source_kind.slice(row.source_kind.indexOf(":") + 1) : null,
    settings: row.kind === "mcp" ? row.settings : null,
    findings: [...row.findings],
    previousDefinition: row.previous_definition,
    missingAt: row.missing_at?.toISOString() ?? null,
  }));
}
