import { MAX_TOOLS, RESERVED_TOOL_NAMES, type AgentSettings } from "@aiw/contract/agents";
import { Problem } from "@aiw/contract/problem";
import { checkRuleCondition } from "@aiw/policy/condition";

/** A tool as far as an agent's settings can collide with it or name it. */
export interface NamedTool {
  readonly id: string;
  readonly wireName: string;
}

/**
 * AGT-2, as far as it concerns approvals: names of input tools are unlike each other, unlike any tool and not reserved;
 * parameters of one input are unlike each other; a gated tool is one there is, and gated once; conditions read.
 * @throws Problem bad_request | condition_invalid, with the path of what is wrong and a code
 */
export function checkSettings(settings: AgentSettings, tools: readonly NamedTool[]): void {
  const wrong = [...inputFaults(settings, tools), ...gateFaults(settings, tools)];
  if (tools.length + settings.inputs.length > MAX_TOOLS && settings.inputs.length > 0)
    wrong.push(["inputs", "too_many"]);
  if (wrong.length > 0) throw new Problem("bad_request", { fields: Object.fromEntries(wrong) });
  for (const [index, { condition }] of settings.tools.entries()) requireCondition(condition, index);
}

type Fault = readonly [path: string, code: string];

function* inputFaults({ inputs }: AgentSettings, tools: readonly NamedTool[]): Generator<Fault> {
  const seen = new Set<string>();
  for (const [index, { name, params }] of inputs.entries()) {
    if (RESERVED_TOOL_NAMES.includes(name)) yield [`inputs.${index}.name`, "reserved"];
    else if (tools.some((tool) => tool.wireName === name || tool.id === name))
      yield [`inputs.${index}.name`, "is_a_tool"];
    else if (seen.has(name)) yield [`inputs.${index}.name`, "taken"];
    seen.add(name);
    if (new Set(params.map((one) => one.name)).size < params.length) yield [`inputs.${index}.params`, "taken"];
  }
}

function* gateFaults({ tools: gated }: AgentSettings, tools: readonly NamedTool[]): Generator<Fault> {
  const seen = new Set<string>();
  for (const [index, { tool }] of gated.entries()) {
    if (!tools.some((known) => known.id === tool)) yield [`tools.${index}.tool`, "unknown"];
    else if (seen.has(tool)) yield [`tools.${index}.tool`, "taken"];
    seen.add(tool);
  }
}

function requireCondition(condition: string | null, index: number): void {
  if (condition === null) return;
  const read = checkRuleCondition({ decision: "approve", condition });
  if (read.ok) return;
  const [error] = read.errors;
  throw new Problem("condition_invalid", {
    fields: { [`tools.${index}.condition`]: error?.code ?? "invalid" },
    params: { at: error?.at ?? 0, line: error?.line ?? 1, column: error?.column ?? 1, hint: error?.hint ?? "" },
  });
}
