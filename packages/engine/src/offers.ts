import type { Connector } from "@aiw/connectors/connector";
import type { ApprovalLevel, PolicyDecision, RiskClass, ToolDefinition } from "@aiw/contract/tools";
import type { ClaimedRun, LoadedPolicy, LoadedRun, LoadedSource, LoadedTool } from "@aiw/core/runs";
import { isOutward } from "@aiw/core/approvals";
import * as tools from "@aiw/core/tools";
import { actionsOf, hasActionlessCalls } from "@aiw/policy/call-values";
import type { ConditionValues } from "@aiw/policy/condition";
import { decide, type PolicyInput, type RuleSet, type Verdict } from "@aiw/policy/decide";
import { parseOnce } from "./conditions.ts";
import { usableTool, type UsableTool } from "./stored-tools.ts";

/** A tool with what its connector says of it and what the platform knows of it. */
export interface KnownTool {
  readonly row: LoadedTool;
  readonly definition: ToolDefinition;
  readonly connector: Connector;
  /** For a tool that a server brought (MCP-1): what is pinned and declared for it; null for tools that are code. */
  readonly served: UsableTool | null;
}

const hashes = new WeakMap<ToolDefinition, string>();
const pinnedHash = (definition: ToolDefinition): string => {
  const known = hashes.get(definition);
  if (known !== undefined) return known;
  const hash = tools.hashOf(definition);
  hashes.set(definition, hash);
  return hash;
};

/** Tools whose stored definition is the one this code would run; any other counts as not there (POL-6). */
export const knownTools = (connectors: ReadonlyMap<string, Connector>, loaded: LoadedRun): KnownTool[] => {
  const found: KnownTool[] = [];
  for (const row of loaded.tools) {
    const connector = connectors.get(row.sourceKind.split(":")[0] ?? row.sourceKind);
    if (connector === undefined) continue;
    const served = usableTool(row, connector);
    const definition = served?.definition ?? connector.tools.find((t) => t.id === row.id);
    if (definition === undefined) continue;
    if (served === null && pinnedHash(definition) !== row.definitionHash) continue;
    found.push({ row, definition, connector, served });
  }
  return found;
};

export interface PolicyFacts {
  readonly writePolicy: "risk_based" | "confirm_external";
  readonly chatMode: "work" | "plan";
  readonly policies: readonly LoadedPolicy[];
}

/** What rules look at in a call (POL-3, POL-7). */
export interface JudgedCall {
  readonly action: string | null;
  readonly values: ConditionValues;
}

/** The gate's question about one tool and source, as the pure decision wants it (POL-3). Without a call: what may be called. */
export const policyInput = (
  tool: {
    readonly id: string;
    readonly riskClass: RiskClass | null;
    readonly decision: PolicyDecision | null;
    readonly level: ApprovalLevel;
    readonly fourEyes: boolean;
  },
  facts: PolicyFacts,
  sourceId: string | null,
  call: { readonly action: string | null; readonly values?: ConditionValues } = { action: null },
): PolicyInput => {
  const [group = tool.id] = tool.id.split(".");
  const rules = (level: RuleSet["level"], mine: (p: LoadedPolicy) => boolean): RuleSet => ({
    level,
    rules: facts.policies
      .filter((p) => p.level === level && mine(p))
      .map((p) => ({
        id: p.id,
        pattern: p.pattern,
        decision: p.decision,
        ...(p.approvalLevel === null ? {} : { approvalLevel: p.approvalLevel }),
        ...(p.fourEyes === null ? {} : { fourEyes: p.fourEyes }),
        ...(p.condition === null ? {} : { condition: p.condition }),
        label: p.label,
        version: p.version,
      })),
  });
  return {
    tool: {
      id: tool.id,
      group,
      action: call.action,
      riskClass: tool.riskClass,
      classifiedDecision: tool.decision,
      level: tool.level,
      fourEyes: tool.fourEyes,
    },
    writePolicy: facts.writePolicy,
    chatMode: facts.chatMode,
    ruleSets: [
      rules("platform", () => true),
      rules("workspace", () => true),
      rules("source", (p) => p.sourceId === sourceId),
      rules("agent", () => true),
    ],
    values: call.values,
    parse: parseOnce,
  };
};

export const verdictFor = (
  tool: LoadedTool,
  loaded: LoadedRun,
  sourceId: string | null,
  call?: Parameters<typeof policyInput>[3],
): Verdict =>
  decide(
    policyInput(
      tool,
      { writePolicy: loaded.workspace.writePolicy, chatMode: loaded.workspace.chatMode, policies: loaded.policies },
      sourceId,
      call,
    ),
  );

/** A child run has a part of the tools its parent has (RUN-18): everything else is not there for it, offered or called. */
export const isAllowed = (run: Pick<ClaimedRun, "tools">, tool: KnownTool): boolean =>
  run.tools === null || run.tools.includes(tool.row.id);

export const testedSources = (loaded: LoadedRun, kind: string): LoadedSource[] =>
  loaded.sources.filter((s) => s.toolSource === kind && s.status === "tested");

/**
 * RUN-7: whether the target may be asked by the probe declared for this tool. It is a call too: the tool that is asked has to
 * be classified as reading and unchanged since it was declared (N46). Tools that are code bring their own probe.
 */
export const mayProbe = (tool: KnownTool, all: readonly KnownTool[]): boolean => {
  if (tool.definition.reconcile === "human") return false;
  const probe = tool.served?.settings.probe;
  if (tool.served === null || probe === undefined) return true;
  return all.some(
    ({ row, served }) =>
      row.sourceKind === tool.row.sourceKind &&
      row.riskClass === "read" &&
      row.active &&
      row.definitionHash === probe.definitionHash &&
      served?.stored.wire["name"] === probe.tool,
  );
};

/**
 * POL-9: what the model may call in this turn: active here, classified, unchanged, not denied, with a tested source behind
 * it. Everything else does not exist for it (RUN-15). There are no arguments yet: a tool is offered unless every call of it
 * would be denied. Conditions never deny, so a rule with one counts as asking; of a tool that lists its actions one has to
 * be left.
 */
export const offered = (known: readonly KnownTool[], loaded: LoadedRun): KnownTool[] =>
  known.filter(({ row, definition }) => {
    if (!row.active || row.riskClass === null) return false;
    if (isOutward(row) && loaded.workspace.combined) return false;
    const sources = testedSources(loaded, row.sourceKind);
    const actions = [...(hasActionlessCalls(definition.parameters) ? [null] : []), ...actionsOf(definition.parameters)];
    return sources.some((s) => actions.some((action) => verdictFor(row, loaded, s.id, { action }).decision !== "deny"));
  });
