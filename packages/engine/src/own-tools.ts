import { INPUT_GROUP, type InputParamType, type InputTool } from "@aiw/contract/agents";
import { ASK_USER } from "@aiw/contract/questions";
import type { JsonObject, RiskClass } from "@aiw/contract/tools";
import type { LoadedRun } from "@aiw/core/runs";

/** A tool as the model may call it: what its call is checked against. Every connector's tool is one, and so are the platform's own. */
export interface CallableTool {
  readonly row: { readonly id: string; readonly riskClass: RiskClass | null };
  readonly definition: { readonly wireName: string; readonly description: string; readonly parameters: JsonObject };
}

const TYPES = {
  str: "string",
  int: "integer",
  float: "number",
  bool: "boolean",
} as const satisfies Record<InputParamType, string>;

const inputTool = (input: InputTool): CallableTool => ({
  row: { id: `${INPUT_GROUP}.${input.name}`, riskClass: "read" },
  definition: {
    wireName: input.name,
    description: input.prompt,
    parameters: {
      type: "object",
      properties: Object.fromEntries(input.params.map(({ name, type }) => [name, { type: TYPES[type] }])),
      required: input.params.map(({ name }) => name),
      additionalProperties: false,
    },
  },
});

const ASK_USER_TOOL: CallableTool = {
  row: { id: ASK_USER, riskClass: "read" },
  definition: {
    wireName: "ask_user",
    description:
      "Ask the person you work for a question and wait for the answer. Only when you cannot go on without it: ask one clear question. `anyone`: any member of the workspace may answer.",
    parameters: {
      type: "object",
      properties: { question: { type: "string", minLength: 1, maxLength: 2000 }, anyone: { type: "boolean" } },
      required: ["question"],
      additionalProperties: false,
    },
  },
};

/** Tools without a connector behind them: a person answers (APR-9). They change nothing, so plan mode has them too (POL-9). */
export const ownTools = (loaded: LoadedRun): CallableTool[] => [ASK_USER_TOOL, ...loaded.agent.inputs.map(inputTool)];

/** The input a call asks for, by the settings its run started with; undefined: it is not a call of an input tool. */
export const inputOf = (toolId: string | null, loaded: LoadedRun): InputTool | undefined =>
  loaded.agent.inputs.find((input) => toolId === `${INPUT_GROUP}.${input.name}`);
