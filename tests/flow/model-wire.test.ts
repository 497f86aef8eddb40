import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptBrain } from "../../infra/local/demo-gateway/brain-script.ts";
import { startDemoGateway, type DemoGateway } from "../../infra/local/demo-gateway/server.ts";

const brain = scriptBrain(() => ({
  chunks: ["Hello ", "world"],
  reasoning: "thought",
  calls: [{ name: "read", arguments: { path: "a" }, callId: "call_1" }],
}));
let server: DemoGateway;
beforeAll(async () => {
  server = await startDemoGateway({ apiKey: "right-key", brain, keepRequests: 3 });
});
afterAll(() => server.stop());

const post = (path: string, body: unknown, key: string | null = "right-key") =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

interface Event {
  readonly event: string | null;
  readonly data: Record<string, unknown>;
}
const events = (stream: string): Event[] =>
  stream
    .split("\n\n")
    .filter((part) => part.includes("data: {"))
    .map((part) => ({
      event: /^event: (.*)$/m.exec(part)?.[1] ?? null,
      data: JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? "{}") as Record<string, unknown>,
    }));

const ASK = { model: "m", input: "hi", stream: true };

test("GW-5 streamed Responses events come in the API's order, numbered without gaps", async () => {
  const response = await post("/responses", ASK);
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const seen = events(await response.text());
  expect(seen.map(({ data }) => data["sequence_number"])).toEqual(seen.map((_, index) => index));
  expect(seen.every(({ event, data }) => event === data["type"])).toBe(true);
  expect(
    seen.map(({ event }) => event?.replace("response.", "")).filter((type, index, all) => type !== all[index - 1]),
  ).toEqual([
    "created",
    "in_progress",
    "output_item.added",
    "output_item.done",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
    "completed",
  ]);
  const response0 = seen.at(-1)?.data["response"];
  expect(response0).toMatchObject({
    status: "completed",
    output: [{ type: "reasoning" }, { type: "message" }, { type: "function_call", call_id: "call_1" }],
    usage: { total_tokens: expect.any(Number) },
  });
});

test("GW-5 streamed Chat Completions end with finish reason, usage and the end mark", async () => {
  const raw = await (
    await post("/chat/completions", {
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
      stream_options: { include_usage: true },
    })
  ).text();
  expect(raw.endsWith("data: [DONE]\n\n")).toBe(true);
  const chunks = events(raw).map(({ data }) => data);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }], usage: null });
  const plain = await (
    await post("/chat/completions", { model: "m", messages: [{ role: "user", content: "hi" }], stream: true })
  ).text();
  expect(plain).not.toContain("usage");
});

test("GW-5 both APIs also answer in one piece", async () => {
  expect(await (await post("/responses", { ...ASK, stream: false })).json()).toMatchObject({
    object: "response",
    status: "completed",
    output: [
      { type: "reasoning" },
      { type: "message", content: [{ type: "output_text", text: "Hello world" }] },
      { type: "function_call", arguments: '{"path":"a"}' },
    ],
  });
  expect(
    await (await post("/chat/completions", { model: "m", messages: [{ role: "user", content: "hi" }] })).json(),
  ).toMatchObject({
    object: "chat.completion",
    choices: [
      {
        message: { content: "Hello world", tool_calls: [{ id: "call_1", function: { name: "read" } }] },
        finish_reason: "tool_calls",
      },
    ],
  });
});

test("GW-5 a wrong or missing key, an unknown address and bytes that are no JSON are refused in the API's words", async () => {
  for (const [response, status] of [
    [await post("/responses", ASK, null), 401],
    [await post("/responses", ASK, "wrong"), 401],
    [await post("/completions", ASK), 404],
    [await fetch(`${server.url}/responses`), 404],
    [await post("/responses", "{"), 400],
    [await post("/responses", []), 400],
    [await post("/responses", { input: "hi" }), 400],
    [await post("/responses", { model: "m" }), 400],
    [await post("/chat/completions", { model: "m" }), 400],
  ] as const) {
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), type: "invalid_request_error" },
    });
  }
});

test("GW-1 a history in which calls and results do not fit is refused", async () => {
  const user = { role: "user", content: "hi" };
  const call = { type: "function_call", call_id: "c1", name: "read", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "c1", output: "x" };
  const status = async (input: unknown) => (await post("/responses", { model: "m", input })).status;
  expect(await status([user, call, output])).toBe(200);
  expect(await status([user, call])).toBe(400);
  expect(await status([user, output])).toBe(400);
  expect(await status([user, call, output, output])).toBe(400);
  expect(await status([user, call, output, call, output])).toBe(400);
  const chat = async (messages: unknown) => (await post("/chat/completions", { model: "m", messages })).status;
  const asked = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
  };
  expect(await chat([user, asked, { role: "tool", tool_call_id: "c1", content: "x" }])).toBe(200);
  expect(await chat([user, asked])).toBe(400);
});

test("GW-1 tools of other kinds and names a model may not have are refused", async () => {
  expect((await post("/responses", { ...ASK, tools: [{ type: "web_search" }] })).status).toBe(400);
  expect((await post("/responses", { ...ASK, tools: [{ type: "function", name: "git.read" }] })).status).toBe(400);
  expect((await post("/responses", { ...ASK, previous_response_id: "resp_1" })).status).toBe(400);
});

test("GW-5 requests are remembered up to a limit, the oldest go first", async () => {
  for (const input of ["one", "two", "three", "four"]) await (await post("/responses", { model: "m", input })).text();
  expect(server.requests().map(({ body }) => (body as { input: string }).input)).toEqual(["two", "three", "four"]);
});
