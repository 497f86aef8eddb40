import type { BrainItem, BrainRequest, BrainTool } from "./brain.ts";

/** An error in the API's own envelope. */
export class ApiFault extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly type: string;
  constructor(status: number, message: string, options: { code?: string; param?: string; type?: string } = {}) {
    super(message);
    this.name = "ApiFault";
    this.status = status;
    this.code = options.code ?? null;
    this.param = options.param ?? null;
    this.type = options.type ?? "invalid_request_error";
  }
  get body() {
    return { error: { message: this.message, type: this.type, param: this.param, code: this.code } };
  }
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fields = (value: unknown): Fields => (isFields(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Reads `POST /v1/responses`. Throws ApiFault where the real API refuses, so that mistakes show here first. */
export function decodeResponses(raw: unknown): BrainRequest {
  const body = bodyOf(raw);
  if (body["previous_response_id"]) {
    throw new ApiFault(400, "Previous response not found.", {
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
  }
  const input = body["input"];
  if (typeof input !== "string" && !Array.isArray(input)) throw missing("input");
  const items: BrainItem[] =
    typeof input === "string" ? [{ type: "message", role: "user", text: input }] : list(input).map(responsesItem);
  checkPairs(items);
  return {
    api: "responses",
    ...common(body),
    instructions: stringOf(body["instructions"]),
    items,
    tools: list(body["tools"]).map((tool, index) => toolOf(fields(tool), `tools[${index}]`)),
  };
}

function responsesItem(raw: unknown, index: number): BrainItem {
  const item = fields(raw);
  const at = `input[${index}]`;
  switch (item["type"] ?? "message") {
    case "message":
      return {
        type: "message",
        role: required(item["role"], `${at}.role`),
        text: contentText(item["content"], `${at}.content`),
      };
    case "reasoning":
      if (!Array.isArray(item["summary"])) throw missing(`${at}.summary`);
      return { type: "reasoning" };
    case "function_call":
      return {
        type: "function_call",
        callId: required(item["call_id"], `${at}.call_id`),
        name: required(item["name"], `${at}.name`),
        arguments: required(item["arguments"], `${at}.arguments`),
      };
    case "function_call_output":
      return {
        type: "function_call_output",
        callId: required(item["call_id"], `${at}.call_id`),
        output: contentText(item["output"], `${at}.output`),
      };
    default:
      throw new ApiFault(400, `Invalid value: '${String(item["type"])}'.`, {
        code: "invalid_value",
        param: `${at}.type`,
      });
  }
}

/** Reads `POST /v1/chat/completions`. */
export function decodeChat(raw: unknown): BrainRequest {
  const body = bodyOf(raw);
  if (!Array.isArray(body["messages"])) throw missing("messages");
  const messages = list(body["messages"]).map(fields);
  const system = messages.filter((each) => each["role"] === "system" || each["role"] === "developer");
  const items = messages.filter((each) => !system.includes(each)).flatMap(chatItems);
  checkPairs(items);
  return {
    api: "chat_completions",
    ...common(body),
    instructions: system.map((each) => contentText(each["content"], "messages")).join("\n\n"),
    items,
    tools: list(body["tools"]).map((tool, index) => {
      const outer = fields(tool);
      return toolOf({ ...fields(outer["function"]), type: outer["type"] }, `tools[${index}].function`);
    }),
  };
}

function chatItems(message: Fields): BrainItem[] {
  const role = required(message["role"], "messages.role");
  const content = message["content"];
  if (role === "tool") {
    return [
      {
        type: "function_call_output",
        callId: required(message["tool_call_id"], "messages.tool_call_id"),
        output: contentText(content, "messages.content"),
      },
    ];
  }
  const calls = list(message["tool_calls"]).map((raw): BrainItem => {
    const call = fields(raw);
    const fn = fields(call["function"]);
    return {
      type: "function_call",
      callId: required(call["id"], "messages.tool_calls.id"),
      name: required(fn["name"], "messages.tool_calls.function.name"),
      arguments: required(fn["arguments"], "messages.tool_calls.function.arguments"),
    };
  });
  if (content === null || content === undefined) {
    if (calls.length === 0) throw missing("messages.content");
    return calls;
  }
  return [{ type: "message", role, text: contentText(content, "messages.content") }, ...calls];
}

function common(body: Fields) {
  const model = body["model"];
  if (typeof model !== "string" || model === "") {
    throw new ApiFault(400, "you must provide a model parameter", { param: "model" });
  }
  return {
    model,
    toolChoice: body["tool_choice"] === "none" ? ("none" as const) : ("auto" as const),
    stream: body["stream"] === true,
    body,
  };
}

/** The rule that costs most in practice: every call has exactly one result, and every result a call before it. */
function checkPairs(items: readonly BrainItem[]): void {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const item of items) {
    if (item.type === "function_call") {
      if (seen.has(item.callId)) throw new ApiFault(400, `Duplicate call id ${item.callId}.`, { param: "input" });
      seen.add(item.callId);
      open.add(item.callId);
    }
    if (item.type === "function_call_output" && !open.delete(item.callId)) {
      throw new ApiFault(400, `No tool call found for function call output with call_id ${item.callId}.`, {
        param: "input",
      });
    }
  }
  const [left] = open;
  if (left !== undefined)
    throw new ApiFault(400, `No tool output found for function call ${left}.`, { param: "input" });
}

function toolOf(tool: Fields, at: string): BrainTool {
  if (tool["type"] !== "function")
    throw new ApiFault(400, "This gateway knows function tools only.", { param: `${at}.type` });
  const name = required(tool["name"], `${at}.name`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new ApiFault(400, `Invalid '${at}.name': string does not match pattern.`, {
      code: "invalid_value",
      param: `${at}.name`,
    });
  }
  return { name, description: stringOf(tool["description"]), parameters: fields(tool["parameters"]) };
}

function contentText(content: unknown, at: string): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw missing(at);
  return content.map((part) => stringOf(fields(part)["text"] ?? fields(part)["refusal"])).join("");
}

function bodyOf(raw: unknown): Fields {
  if (!isFields(raw)) throw new ApiFault(400, "We could not parse the JSON body of your request.");
  return raw;
}

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

function required(value: unknown, param: string): string {
  if (typeof value !== "string") throw missing(param);
  return value;
}

const missing = (param: string): ApiFault =>
  new ApiFault(400, `Missing required parameter: '${param}'.`, { code: "missing_required_parameter", param });
