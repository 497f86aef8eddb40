import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { GatewayApi } from "@aiw/contract/models";
import { createGateway, type GatewaySettings } from "@aiw/model/gateway";
import { DEFAULT_GUARDRAILS, OPAQUE_PROMPT_GUARD } from "@aiw/contract/guardrails";
import { ModelError, type TurnEvent, type TurnRequest } from "@aiw/model/turn";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScriptTurn } from "../../infra/local/demo-gateway/brain.ts";
import { errorTurn, guardrailTurn, scriptBrain } from "../../infra/local/demo-gateway/brain-script.ts";
import { GUARDRAIL_DIALECTS, type GuardrailDialect } from "../../infra/local/demo-gateway/dialects.ts";
import { startDemoGateway, type DemoGateway } from "../../infra/local/demo-gateway/server.ts";

const KEY = "test-key-3f9a0c77";
const APIS: readonly GatewayApi[] = ["responses", "chat_completions"];

const brain = scriptBrain();
let server: DemoGateway;
beforeAll(async () => {
  server = await startDemoGateway({ apiKey: KEY, brain });
});
afterAll(() => server.stop());

const gateway = (api: GatewayApi, more: Partial<GatewaySettings> = {}) =>
  createGateway({
    baseUrl: server.url,
    apiKey: KEY,
    api,
    idleTimeoutMs: 5_000,
    turnTimeoutMs: 20_000,
    guardrails: DEFAULT_GUARDRAILS,
    ...more,
  });

const ask = (more: Partial<TurnRequest> = {}): TurnRequest => ({
  model: "demo-script",
  instructions: "Be brief.",
  items: [{ type: "message", role: "user", content: "Hello" }],
  tools: [
    {
      name: "git_read_file",
      description: "Reads a file.",
      parameters: { type: "object", properties: { path: { type: "string" } } },
    },
  ],
  ...more,
});

interface Outcome {
  readonly text: string;
  readonly deltas: number;
  readonly done: Extract<TurnEvent, { type: "done" }> | null;
  readonly error: ModelError | null;
}

async function run(
  api: GatewayApi,
  turn: ScriptTurn | null,
  options: {
    request?: TurnRequest;
    settings?: Partial<GatewaySettings>;
    signal?: AbortSignal;
    onDelta?: () => void;
  } = {},
): Promise<Outcome> {
  if (turn) brain.push("*", turn);
  let text = "";
  let deltas = 0;
  let done: Outcome["done"] = null;
  try {
    for await (const event of gateway(api, options.settings).turn(
      options.request ?? ask(),
      options.signal ?? new AbortController().signal,
    )) {
      if (event.type === "done") done = event;
      else {
        text += event.text;
        deltas += 1;
        options.onDelta?.();
      }
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { text, deltas, done, error };
  }
  return { text, deltas, done, error: null };
}

/** A gateway of which only the bytes matter. */
async function rawGateway(
  body: string,
  contentType: string | null,
  status = 200,
): Promise<{ url: string; stop(): void }> {
  const raw = createServer((request, response) => {
    request.resume();
    response.writeHead(status, contentType === null ? {} : { "content-type": contentType });
    response.end(body);
  });
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  const { port } = raw.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => raw.close() };
}

const sse = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

async function runRaw(
  api: GatewayApi,
  body: string,
  contentType: string | null = "text/event-stream",
): Promise<Outcome> {
  const raw = await rawGateway(body, contentType);
  try {
    return await run(api, null, { settings: { baseUrl: raw.url } });
  } finally {
    raw.stop();
  }
}

describe.each(APIS)("GW-1 %s", (api) => {
  test("GW-1 text arrives in pieces and ends with one complete message and the token counts", async () => {
    const { text, deltas, done } = await run(api, {
      text: "Grüße aus dem Lager: die Bestellung ist unterwegs, 🚚 kommt morgen.",
    });
    expect(text).toBe("Grüße aus dem Lager: die Bestellung ist unterwegs, 🚚 kommt morgen.");
    expect(deltas).toBeGreaterThan(1);
    expect(done?.items).toEqual([{ type: "message", role: "assistant", content: text }]);
    expect(done?.endReason).toBe("stop");
    expect(done?.usage.inputTokens).toBeGreaterThan(0);
    expect(done?.usage.outputTokens).toBeGreaterThan(0);
  });

  test("GW-1 several calls of one answer keep order, ids and argument text, broken JSON included", async () => {
    const calls = [
      { name: "git_read_file", arguments: { path: "src/ä.ts" }, callId: "call_a" },
      { name: "git_read_file", arguments: '{"path": "unfinished', callId: "call_b" },
    ];
    const { done } = await run(api, { text: "I look.", calls });
    expect(done?.endReason).toBe("tool_calls");
    expect(done?.items.map((item) => item.type)).toEqual(["message", "function_call", "function_call"]);
    expect(done?.items.slice(1)).toMatchObject([
      { call_id: "call_a", name: "git_read_file", arguments: '{"path":"src/ä.ts"}' },
      { call_id: "call_b", name: "git_read_file", arguments: '{"path": "unfinished' },
    ]);
  });

  test("GW-1 the next request carries the whole history with each result joined to its call", async () => {
    const first = await run(api, {
      text: "I look.",
      reasoning: "secret thought",
      calls: [{ name: "git_read_file", arguments: { path: "a" }, callId: "call_1" }],
    });
    const items = [
      ...ask().items,
      ...(first.done?.items ?? []),
      { type: "function_call_output" as const, call_id: "call_1", output: "1| x" },
    ];
    const second = await run(api, { text: "It is x." }, { request: ask({ items }) });
    expect(second.done?.endReason).toBe("stop");
    const seen = brain.requests.at(-1);
    expect(seen?.items.filter((item) => item.type !== "reasoning")).toEqual([
      { type: "message", role: "user", text: "Hello" },
      { type: "message", role: "assistant", text: "I look." },
      { type: "function_call", callId: "call_1", name: "git_read_file", arguments: '{"path":"a"}' },
      { type: "function_call_output", callId: "call_1", output: "1| x" },
    ]);
    expect(seen?.instructions).toBe("Be brief.");
  });

  test("GW-1 no tools offered sends none, toolChoice none forbids calls, the token limit is passed on", async () => {
    await run(api, { text: "ok" }, { request: ask({ tools: [] }) });
    expect(JSON.stringify(brain.requests.at(-1)?.body)).not.toContain("tool");
    await run(api, { text: "ok" }, { request: ask({ toolChoice: "none", maxOutputTokens: 77 }) });
    expect(brain.requests.at(-1)?.toolChoice).toBe("none");
    expect(brain.requests.at(-1)?.body).toMatchObject(
      api === "responses" ? { max_output_tokens: 77 } : { max_completion_tokens: 77 },
    );
  });

  test.each([
    ["cut", "stream_truncated"],
    ["reset", "connection_reset"],
    ["error_event", "gateway_error"],
    ["failed", "gateway_error"],
  ] as const)(
    "RUN-12 a stream that ends by %s brings no turn, is worth a retry and says that text was shown",
    async (streamFault, code) => {
      const outcome = await run(api, {
        chunks: ["one ", "two ", "three"],
        streamFault,
        calls: [{ name: "git_read_file", arguments: {} }],
      });
      expect(outcome.done).toBeNull();
      expect(outcome.error).toMatchObject({ kind: "retry", code, partial: true });
    },
  );

  test("RUN-12 a call whose stream is cut never becomes a call", async () => {
    const outcome = await run(api, {
      calls: [{ name: "git_read_file", arguments: { path: "a" } }],
      streamFault: "cut",
    });
    expect(outcome.done).toBeNull();
    expect(outcome.error).toMatchObject({ kind: "retry", code: "stream_truncated", partial: false });
  });

  test("RUN-12 an answer that hit its token limit keeps its text and loses its calls", async () => {
    const outcome = await run(api, {
      text: "Half an ans",
      reasoning: "r",
      calls: [{ name: "git_read_file", arguments: '{"pa' }],
      streamFault: "incomplete",
    });
    expect(outcome.done?.endReason).toBe("length");
    expect(outcome.done?.items.some((item) => item.type === "function_call")).toBe(false);
    expect(outcome.done?.items.at(-1)).toMatchObject({ type: "message", content: "Half an ans" });
  });

  test("RUN-12 a silent stream ends by the idle limit, before and after the first word", async () => {
    const settings = { idleTimeoutMs: 150 };
    const late = await run(api, { text: "never", delayMs: 60_000 }, { settings });
    expect(late.error).toMatchObject({ kind: "retry", code: "idle_timeout", partial: false });
    const hung = await run(api, { text: "some words and then nothing more", streamFault: "hang" }, { settings });
    expect(hung.error).toMatchObject({ kind: "retry", code: "idle_timeout", partial: true });
  });

  test("RUN-12 a stream that drips without end ends by the turn limit", async () => {
    const drip = { chunks: Array.from({ length: 1_000 }, () => "x "), chunkDelayMs: 20 };
    const outcome = await run(api, drip, { settings: { idleTimeoutMs: 2_000, turnTimeoutMs: 300 } });
    expect(outcome.error).toMatchObject({ kind: "retry", code: "turn_timeout", partial: true });
  });

  test("RUN-12 the caller's signal ends the turn, before the request and in the middle of the text", async () => {
    const before = await run(api, null, { signal: AbortSignal.abort() });
    expect(before.error).toMatchObject({ kind: "aborted", partial: false, retryable: false });
    const controller = new AbortController();
    const during = await run(
      api,
      { text: "a b c d e f g h", streamFault: "hang" },
      { signal: controller.signal, onDelta: () => controller.abort() },
    );
    expect(during.error).toMatchObject({ kind: "aborted", partial: true });
  });

  test("F93 JSON in place of the stream is seen and not taken for an empty answer", async () => {
    const outcome = await run(api, { text: "whole", streamFault: "json_instead_of_stream" });
    expect(outcome.error).toMatchObject({ kind: "retry", code: "not_a_stream", status: 200 });
    const html = await runRaw(api, "<html>welcome</html>", "text/html; charset=utf-8");
    expect(html.error).toMatchObject({ kind: "retry", code: "not_a_stream" });
  });

  test("F93 an empty answer and a call id used twice are protocol errors", async () => {
    expect((await run(api, {})).error).toMatchObject({ kind: "protocol", code: "empty_output", retryable: true });
    const twice = { name: "git_read_file", arguments: {}, callId: "call_same" };
    const outcome = await run(api, { calls: [twice, twice] });
    expect(outcome.error).toMatchObject({ kind: "protocol", code: "duplicate_call_id" });
    expect(outcome.done).toBeNull();
  });

  test("F93 bytes that are no JSON and an empty stream are worth a retry", async () => {
    expect((await runRaw(api, "data: {oops\n\n")).error).toMatchObject({ kind: "retry", code: "stream_broken" });
    expect((await runRaw(api, "")).error).toMatchObject({ kind: "retry", code: "stream_truncated" });
    expect((await runRaw(api, ": only a comment\n\n")).error).toMatchObject({
      kind: "retry",
      code: "stream_truncated",
    });
  });

  test.each([
    [429, "rate_limit_exceeded", "retry", "rate_limited"],
    [429, "insufficient_quota", "refused", "quota_exhausted"],
    [400, "context_length_exceeded", "context_too_long", "context_too_long"],
    [401, "invalid_api_key", "refused", "key_refused"],
    [403, null, "refused", "not_allowed"],
    [404, "model_not_found", "refused", "model_not_found"],
    [408, null, "retry", "gateway_busy"],
    [409, null, "retry", "gateway_busy"],
    [412, null, "refused", "quota_exhausted"],
    [422, null, "refused", "request_refused"],
    [500, null, "retry", "gateway_error"],
    [503, null, "retry", "gateway_error"],
    [529, "overloaded", "retry", "gateway_error"],
  ] as const)("RUN-12 status %i with code %s is %s", async (status, gatewayCode, kind, code) => {
    const outcome = await run(api, errorTurn(status, gatewayCode, "Plain words."));
    expect(outcome.error).toMatchObject({ kind, code, status, partial: false });
    expect(outcome.error?.message).toContain("Plain words.");
    expect(outcome.error?.rawBody).toContain("Plain words.");
  });

  test("RUN-12 one turn is one request: nothing is repeated by the adapter", async () => {
    const before = brain.requests.length;
    await run(api, errorTurn(503, null));
    expect(brain.requests.length).toBe(before + 1);
  });

  test("RUN-12 the wait the gateway asks for is read in each spelling and bounded", async () => {
    const wait = async (headers: Record<string, string>) =>
      (await run(api, errorTurn(429, "rate_limit_exceeded", "Slow.", headers))).error?.retryAfterMs;
    expect(await wait({ "retry-after": "7" })).toBe(7_000);
    expect(await wait({ "retry-after-ms": "250" })).toBe(250);
    expect(await wait({ "retry-after": "999999" })).toBe(3_600_000);
    expect(await wait({ "retry-after": "soon" })).toBeUndefined();
    const dated = await wait({ "retry-after": new Date(Date.now() + 30_000).toUTCString() });
    expect(dated).toBeGreaterThan(20_000);
    expect(dated).toBeLessThanOrEqual(30_000);
  });

  test("RUN-12 a gateway that is not there and one that redirects", async () => {
    const nobody = await run(api, null, { settings: { baseUrl: "http://127.0.0.1:9/v1" } });
    expect(nobody.error).toMatchObject({ kind: "retry", code: "connection_failed" });
    const moved = await run(api, { fail: { status: 307, body: "", headers: { location: `${server.url}/elsewhere` } } });
    expect(moved.error).toMatchObject({ kind: "refused", code: "redirected" });
  });

  test("RUN-12 an HTML error page is not shown to anybody but kept for the audit", async () => {
    const outcome = await run(api, { fail: { status: 502, body: `<html>${"x".repeat(20_000)}</html>` } });
    expect(outcome.error).toMatchObject({ kind: "retry", code: "gateway_error" });
    expect(outcome.error?.message).not.toContain("<");
    expect(outcome.error?.rawBody?.length).toBe(8_192);
  });

  test("GW-1 the key never appears in an error, not even when the gateway repeats it", async () => {
    const outcome = await run(
      api,
      errorTurn(400, null, `Bad key ${KEY} or sk-live_abcdef123456, sent as Bearer ${KEY} ${"long ".repeat(300)}`),
    );
    const everything = `${outcome.error?.message}${outcome.error?.rawBody}${String(outcome.error?.stack)}${String(outcome.error?.cause)}`;
    expect(everything).not.toContain(KEY);
    expect(everything).not.toContain("sk-live");
    expect(outcome.error?.message.length).toBeLessThanOrEqual(500);
  });

  const dialects = Object.keys(GUARDRAIL_DIALECTS).filter((name) => name !== "kong") as GuardrailDialect[];
  test.each(dialects)("RUN-13 GW-4 the guardrail dialect %s is recognised and never repeated", async (dialect) => {
    const outcome = await run(api, guardrailTurn(dialect));
    expect(outcome.error).toMatchObject({ kind: "guardrail", retryable: false, partial: false, direction: "request" });
    expect(outcome.error?.code).not.toBe("");
    expect(outcome.error?.message).not.toBe("");
    expect(outcome.error?.rawBody).not.toBe("");
  });

  test("GW-4 an opaque refusal is a guardrail hit only where an administrator says so", async () => {
    expect((await run(api, guardrailTurn("kong"))).error).toMatchObject({ kind: "refused" });
    const ruled = await run(api, guardrailTurn("kong"), { settings: { guardrails: [OPAQUE_PROMPT_GUARD] } });
    expect(ruled.error).toMatchObject({ kind: "guardrail", code: "opaque_prompt_guard", rule: "opaque_prompt_guard" });
  });

  test("F94 RUN-13 a guardrail hit in the middle of a stream says that text was already shown", async () => {
    const outcome = await run(api, { chunks: ["secret ", "plan ", "follows"], streamFault: "guardrail_midstream" });
    expect(outcome.text).toBe("secret plan ");
    expect(outcome.done).toBeNull();
    expect(outcome.error).toMatchObject({
      kind: "guardrail",
      code: "content_filter",
      partial: true,
      direction: "response",
      retryable: false,
    });
    const filtered = await run(api, { text: "some text", streamFault: "incomplete", faultCode: "content_filter" });
    expect(filtered.error).toMatchObject({ kind: "guardrail", code: "content_filter", partial: true });
  });

  test("GW-2 the list of models, and its error", async () => {
    const signal = new AbortController().signal;
    expect(await gateway(api).listModels(signal)).toEqual([{ id: "demo-script", ownedBy: "demo" }]);
    await expect(gateway(api, { apiKey: "wrong-key" }).listModels(signal)).rejects.toMatchObject({
      kind: "refused",
      code: "key_refused",
    });
  });

  test("GW-1 leaving the loop early closes the connection", async () => {
    brain.push("*", { text: "a b c d", streamFault: "hang" });
    for await (const event of gateway(api).turn(ask(), new AbortController().signal)) {
      if (event.type === "delta") break;
    }
    expect((await run(api, { text: "next" })).text).toBe("next");
  });
});

describe("GW-1 Responses", () => {
  test("GW-1 the request is stateless and has no field a plain gateway would not know", async () => {
    await run("responses", { text: "ok" });
    const body = brain.requests.at(-1)?.body;
    expect(Object.keys(body as object).sort()).toEqual([
      "include",
      "input",
      "instructions",
      "model",
      "store",
      "stream",
      "tool_choice",
      "tools",
    ]);
    expect(body).toMatchObject({ store: false, stream: true, include: ["reasoning.encrypted_content"] });
  });

  test("GW-1 reasoning is stored and sent back unchanged and in its place", async () => {
    const first = await run("responses", {
      reasoning: "deep thought",
      calls: [{ name: "git_read_file", arguments: {}, callId: "call_r" }],
    });
    const [reasoning, call] = first.done?.items ?? [];
    expect(reasoning).toMatchObject({
      type: "reasoning",
      encrypted_content: Buffer.from("deep thought").toString("base64"),
      summary: [],
    });
    if (!reasoning || !call) throw new Error("no items");
    await run(
      "responses",
      { text: "done" },
      {
        request: ask({
          items: [...ask().items, reasoning, call, { type: "function_call_output", call_id: "call_r", output: "" }],
        }),
      },
    );
    expect(brain.requests.at(-1)?.body).toMatchObject({
      input: [{}, reasoning, call, { type: "function_call_output" }],
    });
  });

  test("GW-1 a gateway without deltas, without finished items, and with events nobody knows", async () => {
    const message = {
      type: "message",
      id: "m",
      role: "assistant",
      phase: "final_answer",
      content: [{ type: "output_text", text: "Whole." }],
    };
    const completed = { type: "response.completed", response: { status: "completed", output: [message] } };
    const noDeltas = await runRaw(
      "responses",
      sse(
        { type: "response.output_item.done", output_index: 0, item: message },
        { type: "response.new_thing" },
        completed,
      ),
    );
    expect(noDeltas).toMatchObject({
      text: "Whole.",
      done: { items: [{ type: "message", content: "Whole.", phase: "final_answer" }], usage: { inputTokens: 0 } },
    });
    expect((await runRaw("responses", sse(completed), null)).done?.items).toMatchObject([{ content: "Whole." }]);
  });

  test("GW-1 the turn ends with its terminal event even when the gateway leaves the stream open", async () => {
    const open = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        sse(
          { type: "response.output_text.delta", output_index: 0, delta: "Hi" },
          {
            type: "response.completed",
            response: { status: "completed", output: [{ type: "message", content: "Hi" }] },
          },
        ),
      );
    });
    await new Promise<void>((resolve) => open.listen(0, "127.0.0.1", resolve));
    const { port } = open.address() as AddressInfo;
    const outcome = await run("responses", null, { settings: { baseUrl: `http://127.0.0.1:${port}/v1` } });
    open.closeAllConnections();
    open.close();
    expect(outcome.done?.endReason).toBe("stop");
  });

  test("F93 arguments that are no text, and a call id from the history, are protocol errors", async () => {
    const call = (args: unknown) => ({ type: "function_call", call_id: "c", name: "git_read_file", arguments: args });
    const bad = await runRaw(
      "responses",
      sse(
        { type: "response.output_item.done", output_index: 0, item: call({ path: "a" }) },
        { type: "response.completed", response: {} },
      ),
    );
    expect(bad.error).toMatchObject({ kind: "protocol", code: "arguments_not_text" });
    const items = [
      ...ask().items,
      { type: "function_call" as const, call_id: "c", name: "git_read_file", arguments: "{}" },
      { type: "function_call_output" as const, call_id: "c", output: "" },
    ];
    const again = await run(
      "responses",
      { calls: [{ name: "git_read_file", arguments: {}, callId: "c" }] },
      { request: ask({ items }) },
    );
    expect(again.error).toMatchObject({ kind: "protocol", code: "duplicate_call_id" });
  });

  test.each(["invalid_prompt", "bio_policy", "misalignment_policy_violation"])(
    "RUN-13 a failed response with code %s is a guardrail hit",
    async (faultCode) => {
      const outcome = await run("responses", { chunks: ["a", "b"], streamFault: "failed", faultCode });
      expect(outcome.error).toMatchObject({ kind: "guardrail", code: faultCode, partial: true });
    },
  );

  test("RUN-12 a failed response for lack of capacity is worth a retry, one for lack of quota is not", async () => {
    expect(
      (await run("responses", { streamFault: "failed", faultCode: "rate_limit_exceeded", text: "a b" })).error,
    ).toMatchObject({ kind: "retry", code: "rate_limited" });
    expect(
      (await run("responses", { streamFault: "failed", faultCode: "insufficient_quota", text: "a b" })).error,
    ).toMatchObject({ kind: "refused", code: "quota_exhausted" });
  });
});

describe("GW-1 Chat Completions", () => {
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });

  test("GW-1 calls in pieces without index, with `stop` as their end and without usage", async () => {
    const outcome = await runRaw(
      "chat_completions",
      `${sse(
        chunk({ tool_calls: [{ id: "x1", function: { name: "git_read_file", arguments: '{"pa' } }] }),
        chunk({ tool_calls: [{ function: { arguments: 'th":"a"}' } }] }),
        chunk({ tool_calls: [{ id: "x2", function: { name: "git_read_file", arguments: "{}" } }] }),
        chunk({}, "stop"),
      )}data: [DONE]\n\n`,
    );
    expect(outcome.done?.endReason).toBe("tool_calls");
    expect(outcome.done?.items).toEqual([
      { type: "function_call", call_id: "x1", name: "git_read_file", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "x2", name: "git_read_file", arguments: "{}" },
    ]);
    expect(outcome.done?.usage).toEqual({ inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 });
  });

  test("F93 an id the gateway left out or counted anew is replaced, so that each call stays single", async () => {
    const items = [
      ...ask().items,
      { type: "function_call" as const, call_id: "call_0", name: "git_read_file", arguments: "{}" },
      { type: "function_call_output" as const, call_id: "call_0", output: "" },
    ];
    const outcome = await run(
      "chat_completions",
      { calls: [{ name: "git_read_file", arguments: {}, callId: "call_0" }] },
      { request: ask({ items }) },
    );
    const [call] = outcome.done?.items ?? [];
    expect(call).toMatchObject({
      type: "function_call",
      name: "git_read_file",
      call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
    });
  });

  test("F93 arguments that are no text are a protocol error", async () => {
    const outcome = await runRaw(
      "chat_completions",
      sse(
        chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: { a: 1 } } }] }),
        chunk({}, "tool_calls"),
      ),
    );
    expect(outcome.error).toMatchObject({ kind: "protocol", code: "arguments_not_text" });
  });

  test("RUN-13 a guardrail error after the last piece still counts", async () => {
    const outcome = await runRaw(
      "chat_completions",
      sse(chunk({ content: "hm" }), chunk({}, "stop"), {
        error: { message: "Violated guardrail policy", code: "400" },
      }),
    );
    expect(outcome.error).toMatchObject({ kind: "guardrail", partial: true });
  });
});
