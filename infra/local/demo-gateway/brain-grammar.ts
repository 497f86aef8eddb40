import type { Brain, BrainItem, BrainRequest, BrainTool, ScriptTurn, TurnCall } from "./brain.ts";
import { carryOut, describeCall, type Flow, type FlowContext, type WantedCall } from "./grammar/flows.ts";
import { languageOf, parse, type Command } from "./grammar/parse.ts";
import { unfence } from "./grammar/results.ts";
import { clip, wordsFor } from "./grammar/words.ts";

export const DEMO_MODEL = "demo-grammar";

/**
 * The demo model (GW-5): no AI, a small grammar over what the user really typed and what the tools really answered. It
 * keeps nothing: each turn it walks the same way through the history again and goes one step further.
 */
export function grammarBrain(options: { readonly chunkDelayMs?: number } = {}): Brain {
  return {
    models: [DEMO_MODEL],
    onlyListedModels: true,
    respond: (request) => ({ ...answer(request), chunkDelayMs: options.chunkDelayMs ?? 0 }),
  };
}

function answer(request: BrainRequest): ScriptTurn {
  const { message, results, tools: called } = lastQuestion(request.items);
  const words = wordsFor(languageOf(message));
  // The platform tells what became of a request (APR-8): it is said on, and nothing is done.
  const outcome = /^Outcome of request #\d+: [^\n]*/.exec(message);
  if (outcome !== null) return { text: `${outcome[0]}\n\n${words.signature}` };
  // Somebody asked for a request again: the call stands there already, and what came of it is said.
  if (message.startsWith("Requested again: #") && called.length > 0) {
    const said = called.map((tool, index) => describeCall(tool, results[index] ?? "", words));
    return { text: `${said.join("\n\n")}\n\n${words.signature}` };
  }
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]));
  const usable = request.toolChoice === "auto";
  const context: FlowContext = { words, offered: (tool) => usable && tools.has(tool) };
  const flow = carryOutAll(parse(message), context);
  let used = 0;
  let step = flow.next([]);
  while (!step.done) {
    const { calls, say } = step.value;
    if (used + calls.length > results.length) {
      return { text: say, calls: calls.map((call) => turnCall(call, tools.get(call.tool), message)) };
    }
    step = flow.next(results.slice(used, used + calls.length));
    used += calls.length;
  }
  return { text: `${step.value}\n\n${words.signature}` };
}

function* carryOutAll(commands: readonly Command[], context: FlowContext): Flow {
  const said: string[] = [];
  for (const command of commands) said.push(yield* carryOut(command, context));
  return said.join("\n\n");
}

/** What the user asked last, and the results since then in the order of their calls, with the tools that were called. */
function lastQuestion(items: readonly BrainItem[]): {
  message: string;
  results: readonly string[];
  tools: readonly string[];
} {
  const at = items.findLastIndex((item) => item.type === "message" && item.role === "user" && own(item.text) !== "");
  const question = items[at];
  const since = items.slice(at + 1);
  const outputs = new Map(
    since.flatMap((item) => (item.type === "function_call_output" ? [[item.callId, item.output] as const] : [])),
  );
  return {
    message: question?.type === "message" ? own(question.text) : "",
    results: since.flatMap((item) => (item.type === "function_call" ? [outputs.get(item.callId) ?? ""] : [])),
    tools: since.flatMap((item) => (item.type === "function_call" ? [item.name] : [])),
  };
}

/** A message that is only a fence of untrusted content was put there by the platform; nobody asked it. */
function own(text: string): string {
  const { inner, around } = unfence(text);
  return (inner === text ? text : around).trim();
}

/** Arguments as this tool's schema wants them: unknown ones left out, a source filled in where it can be told. */
function turnCall(call: WantedCall, tool: BrainTool | undefined, message: string): TurnCall {
  const properties = fields(tool?.parameters["properties"]);
  const known = Object.entries({ ...call.args, ...sourceFor(call, tool, message) }).filter(
    ([name]) => Object.keys(properties).length === 0 || Object.hasOwn(properties, name),
  );
  const args = Object.fromEntries(known.map(([name, value]) => [name, fit(value, fields(properties[name]))]));
  const needsPath = list(tool?.parameters["required"]).includes("path") && args["path"] === undefined;
  return { name: call.tool, arguments: needsPath ? { ...args, path: "." } : args };
}

function fit(value: unknown, schema: Readonly<Record<string, unknown>>): unknown {
  const limit = schema["maxLength"];
  return typeof value === "string" && typeof limit === "number" ? clip(value, limit) : value;
}

function sourceFor(call: WantedCall, tool: BrainTool | undefined, message: string): { source?: string } {
  if (call.args["source"] !== undefined) return {};
  const names = list(fields(fields(tool?.parameters["properties"])["source"])["enum"]).filter(
    (name) => typeof name === "string",
  );
  const named = names.find((name) => message.includes(name));
  if (named !== undefined) return { source: named };
  const [only] = names;
  return only !== undefined && names.length === 1 && list(tool?.parameters["required"]).includes("source")
    ? { source: only }
    : {};
}

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
