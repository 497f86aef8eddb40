import type { de } from "../de/agent.ts";

export const en: typeof de = {
  title: "Agent",
  hint: "Holds for runs that start from now on. What is under way keeps its settings.",
  save: "Save",
  saved: "Saved",
  mode: {
    title: "When a call needs an approval",
    pause: "Wait",
    pauseHint: "The run waits for the decision and then goes on.",
    stage: "Submit",
    stageHint:
      "The AI answers at once, the request stays open. After the approval exactly this call is executed, and the chat is told the outcome.",
  },
  rejection: {
    title: "When a request is rejected or expires",
    continue: "The run goes on",
    continueHint: "The AI is told the reason and looks for another way.",
    fail: "The run fails",
    failHint: "The run ends with the reason as its error. Other open requests of the run are withdrawn.",
  },
  time: {
    title: "Time until a request expires",
    own: "Own time instead of the workspace's",
    value: "Time",
    unit: "Unit",
    units: { s: "seconds", min: "minutes", h: "hours", d: "days" },
    invalid: "Please give a value between 30 seconds and 7 days.",
  },
  message: {
    title: "Note for approvers",
    hint: "Stands in every request. At most 500 characters.",
  },
  inputs: {
    title: "Inputs from people",
    hint: "Each input is a tool: the AI calls it, a person who may decide approvals answers, and their text is the result.",
    none: "No inputs yet.",
    add: "Add an input",
    remove: "Remove the input",
    name: "Name of the tool",
    nameHint: "Plain letters, digits and underscores, at most 64 characters.",
    nameInvalid: "This name is not possible.",
    nameTaken: "This name is taken.",
    nameReserved: "This name is reserved for the platform.",
    nameTool: "A tool has this name already.",
    label: "Label of the field",
    labelHint: "Stands above the field the person fills in.",
    prompt: "Description for the AI",
    promptHint: "When the AI should ask for it. The person does not see this text.",
    params: "Values the AI passes along",
    paramName: "Name of the value",
    paramType: "Kind of the value",
    paramAdd: "Add a value",
    paramRemove: "Remove the value",
    types: { str: "Text", int: "Whole number", float: "Number", bool: "Yes or no" },
    sensitive: "Sensitive",
    sensitiveHint:
      "Masked field, stored encrypted, replaced by [REDACTED] everywhere else. The AI reads the answer. Transformed copies and what tools send elsewhere are not masked.",
  },
  tools: {
    title: "Tools with an additional approval",
    hint: "Set by API. These rules only tighten.",
  },
  version: {
    builtIn: "Nothing saved yet. The built-in settings hold.",
    saved: "Version {{ n }}, saved by {{ name }} on {{ at }}",
  },
};
