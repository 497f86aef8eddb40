import type { GatedTool, InputTool } from "@aiw/contract/agents";
import { ApiProblem } from "../../data/client.ts";
import { agent as t } from "../../i18n/agent.ts";
import { conditionFault } from "../rules/rule-model.ts";

/** Longest name of an input or a parameter; letters, digits and underscores, no digit first (AGT-2). */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export type InputFault = "name" | "taken" | "prompt" | "label" | "params";

/** The first thing that keeps this input from being saved. What only the server knows (names of tools) it says itself. */
export const inputFault = (inputs: readonly InputTool[], index: number): InputFault | null => {
  const input = inputs[index];
  if (input === undefined) return null;
  if (!NAME.test(input.name)) return "name";
  if (inputs.some((other, at) => at < index && other.name === input.name)) return "taken";
  if (input.label.trim() === "") return "label";
  if (input.prompt.trim() === "") return "prompt";
  const names = input.params.map((param) => param.name);
  return names.every((name) => NAME.test(name)) && new Set(names).size === names.length ? null : "params";
};

export const trimmed = (input: InputTool): InputTool => ({
  ...input,
  label: input.label.trim(),
  prompt: input.prompt.trim(),
});

/** Most gated tools of an agent; the server's own bound (AGT-2). */
export const MAX_GATES = 100;

/** What keeps this gated tool from being saved; whether its condition reads the server says. */
export const gateFault = (gates: readonly GatedTool[], index: number): "missing" | "taken" | null => {
  const tool = gates[index]?.tool ?? "";
  if (tool === "") return "missing";
  return gates.some((other, at) => at < index && other.tool === tool) ? "taken" : null;
};

/** Without a condition it always asks. */
export const trimmedGate = ({ tool, condition }: GatedTool): GatedTool => ({
  tool,
  condition: condition === null || condition.trim() === "" ? null : condition.trim(),
});

/** What the server found wrong about gated tools, by path and in words. */
export const gateFaults = (failure: unknown): Readonly<Record<string, string>> => {
  if (!(failure instanceof ApiProblem)) return {};
  const wrong = Object.entries(failure.fields).filter(([path]) => path.startsWith("tools."));
  return Object.fromEntries(
    wrong.map(([path, code]) => [
      path,
      path.endsWith(".condition")
        ? conditionFault(code, failure)
        : t(code === "taken" ? "tools.taken" : "tools.unknown"),
    ]),
  );
};

/** What the server found wrong, by path. */
export const fieldFaults = (failure: unknown): Readonly<Record<string, string>> =>
  failure instanceof ApiProblem ? failure.fields : {};

export const NEW_INPUT: InputTool = { name: "", prompt: "", label: "", params: [], sensitive: false };
