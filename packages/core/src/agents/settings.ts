import { agentSettings, BUILT_IN_AGENT, type AgentSettings } from "@aiw/contract/agents";
import type { LoadedPolicy } from "../runs/run.ts";

/** The agent every workspace has; it needs no row (AGT-1). */
export const DEFAULT_AGENT = "default";

/** Settings as stored with a version; none: those built in. */
export const readSettings = (stored: unknown): AgentSettings =>
  stored === undefined || stored === null ? BUILT_IN_AGENT : agentSettings.parse(stored);

/** The agent's own rules, as the innermost rule set of the gate (POL-3): they ask, and can do nothing else. */
export const rulesOf = (settings: AgentSettings): LoadedPolicy[] =>
  settings.tools.map(({ tool, condition }, index) => ({
    id: `agent:${index}`,
    level: "agent",
    sourceId: null,
    pattern: tool,
    decision: "approve",
    approvalLevel: null,
    fourEyes: null,
    label: tool,
    version: 1,
    condition,
  }));
