import { guardrailTurn } from "@aiw/infra/local/demo-gateway/brain-script";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, openBrowser, openScreen, picture, settled, type Screen } from "../kit/browser.ts";
import type { Client } from "../kit/client.ts";
import * as do_ from "../kit/pages.ts";
import { demoWorkspace, newChat, requestOf, say } from "../kit/people.ts";
import { topic } from "../kit/runs.ts";
import { startLocal, type LocalStack } from "../kit/stack.ts";

const BUG = "replace `goods > DISCOUNT_FROM` with `goods >= DISCOUNT_FROM` in src/discount.ts";
/** An address where nobody listens, on the list of allowed hosts. */
const SILENT_PORT = 9;

let local: LocalStack;
let browser: Browser;
let workspaceId = "";
let member: Client;

beforeAll(async () => {
  [local, browser] = await Promise.all([
    startLocal({
      web: true,
      env: { AIW_GIT_ALLOWED_HOSTS: `127.0.0.1:${SILENT_PORT}`, AIW_TEAM_MAX_PARALLEL_RUNS: "20" },
    }),
    openBrowser(),
  ]);
  member = await local.signIn("member");
  workspaceId = await demoWorkspace(member);
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
});

const enter = async (name: string): Promise<Screen> => {
  const screen = await openScreen(browser, local.url);
  await screen.signIn(name, local.stack.demoPassword);
  return screen;
};

describe("CHT-0 SRC-2 until a source is tested the chat stays closed, and a failed test says where it failed and what to do", () => {
  let owner: Screen;
  let ownWorkspace = "";

  test("CHT-0 a new workspace says what is missing, and its chats cannot be started", async () => {
    owner = await enter("owner");
    ownWorkspace = await do_.createWorkspace(owner, "Not yet");
    await owner.open(`/w/${ownWorkspace}/chats`);
    await owner.page.getByTestId("chat-locked").waitFor();
    await do_.link(owner.page, "Connect a source").first().waitFor();
    expect(await do_.button(owner.page, "New chat").count()).toBe(0);
    const asOwner = await local.signIn("owner");
    expect(await asOwner.refused("createChat", { params: { workspaceId: ownWorkspace }, body: {} })).toMatchObject({
      status: 409,
      code: "no_tested_source",
    });
    await owner.done();
  });

  test("SRC-3 a host that is not allowed is refused at the field, before anything is connected", async () => {
    owner = await enter("owner");
    owner.expectAnswer(400, /\/sources$/);
    await do_.connectSource(owner, ownWorkspace, {
      url: "https://git.elsewhere.example/a/b.git",
      token: "some-token-1234",
    });
    await owner.page.getByText("This host is not on the list of allowed hosts.").first().waitFor();
    await owner.page.getByLabel("Address of the repository").waitFor();
    await expectAccessible(owner.page, "a refused host");
    await picture(owner.page, "wizard-host-refused");
    await owner.done();
  });

  test.each([
    [
      "wrong token",
      () => ({ url: local.repository.url, token: "wrong-token-1234", name: "wrong" }),
      "Sign-in",
      "The server refused the credentials.",
      "Store a valid token",
    ],
    [
      "nobody listens",
      () => ({ url: `http://127.0.0.1:${SILENT_PORT}/orders.git`, token: "some-token-1234", name: "silent" }),
      "Server reachable",
      "The server cannot be reached.",
      "Check that the server runs",
    ],
    [
      "empty repository",
      () => ({ url: local.stack.git.createRepository("empty").url, token: local.gitToken, name: "empty" }),
      "Repository and branch",
      "The repository is empty.",
      "Push a first commit",
    ],
    [
      "no such repository",
      () => ({
        url: local.repository.url.replace("orders-service", "nothing-here"),
        token: local.gitToken,
        name: "missing",
      }),
      "Repository and branch",
      "There is no such repository on the server.",
      "Check the path",
    ],
  ] as const)("SRC-2 %s: the stage that failed and the next action", async (_, connection, failed, reason, next) => {
    owner = await enter("owner");
    await do_.connectSource(owner, ownWorkspace, connection());
    await owner.page.getByText("The source is connected, its test failed.").waitFor({ timeout: 30_000 });
    const line = do_.stage(owner.page, failed);
    expect(await line.innerText()).toContain(reason);
    expect(await line.innerText()).toContain(next);
    await do_.button(owner.page, "Test again").waitFor();
    await expectAccessible(owner.page, `a failed test: ${reason}`);
    await picture(owner.page, `wizard-${connection().name}`);
    // The chat stays closed.
    await owner.open(`/w/${ownWorkspace}/chats`);
    await owner.page.getByTestId("chat-locked").waitFor();
    await owner.done();
  });
});

test("IDN-4 a person of another team finds nothing under any address of a workspace", async () => {
  const chatId = await newChat(member, workspaceId);
  const runId = await say(member, workspaceId, chatId, BUG);
  const request = await requestOf(member, runId);
  const { items: sources } = await member.call("listSources", { params: { workspaceId } });

  const outsider = await enter("outsider");
  outsider.expectAnswer(404, /^\/api\/(workspaces|runs|approvals)\//);
  await outsider.open("/workspaces");
  await outsider.page.getByText("No workspace yet").waitFor();
  const addresses = [
    "",
    `/chats/${chatId}`,
    "/chats",
    "/runs",
    `/runs/${runId}`,
    "/sources",
    `/sources/${sources[0]?.id ?? ""}`,
    "/settings",
    `/approvals/${request.id}`,
  ];
  for (const path of [...addresses.map((each) => `/w/${workspaceId}${each}`), `/approvals/${request.id}`]) {
    await outsider.page.goto(path);
    const main = outsider.page.locator("main");
    await main
      .getByText(/There is nothing here|This does not exist|This chat does not exist/)
      .first()
      .waitFor();
    const text = await outsider.page.locator("body").innerText();
    expect(text, path).not.toMatch(/Orders|discount|DISCOUNT|orders-service/);
    await expectAccessible(outsider.page, `nothing at ${path.replace(/[0-9a-f-]{36}/g, "id")}`);
  }
  await outsider.open("/approvals");
  await outsider.page.getByText("No open approvals").waitFor();
  await picture(outsider.page, "outsider-nothing");
  await outsider.done();
});

describe("what a model or a gateway does wrong is a state of its own on the page", () => {
  const inChat = async (text: string): Promise<Screen> => {
    const screen = await enter("member");
    await do_.startChat(screen, workspaceId);
    await do_.say(screen.page, text);
    return screen;
  };

  test("RUN-13 a stop by a guardrail is shown as such, not as an error, and is not tried again", async () => {
    const about = topic();
    local.script.push(about, guardrailTurn("litellm"));
    const { page, done } = await inChat(`say ${about}`);
    const card = page.getByRole("region", { name: "Blocked by guardrail" });
    await card.waitFor({ timeout: 30_000 });
    expect(await card.innerText()).toContain("will not be retried automatically");
    expect(await do_.button(page, "Try again").count()).toBe(0);
    await expectAccessible(page, "a blocked run");
    await picture(page, "chat-guardrail");
    await do_.link(card, "See the run").click();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
    await settled(page);
    await page.getByText("Blocked by guardrail").first().waitFor();
    await expectAccessible(page, "the page of a blocked run");
    await picture(page, "run-guardrail");
    await done();
  });

  test("RUN-15 a call of an unknown tool is told to the model and shown as its own card; the run goes on", async () => {
    const about = topic();
    local.script.push(
      about,
      { calls: [{ name: "delete_everything", arguments: { path: "src" } }] },
      { text: "There is no such tool." },
    );
    const { page, done } = await inChat(`try ${about}`);
    expect(await do_.answer(page, 1)).toContain("There is no such tool.");
    const card = do_.toolCard(page, "delete_everything");
    await card.getByRole("button").first().click();
    expect(await card.innerText()).toMatch(/Failed|Denied by policy/);
    await expectAccessible(page, "an unknown tool");
    await picture(page, "chat-unknown-tool");
    await done();
  });

  test("RUN-9 a failed run says why and that nothing was written, and goes on from its last step when asked", async () => {
    const about = topic();
    const refusal = {
      status: 400,
      body: { error: { message: "bad request", type: "invalid_request_error", param: null, code: "bad" } },
    };
    local.script.push(
      about,
      { calls: [{ name: "git_list_dir", arguments: { path: "src" } }] },
      { fail: refusal },
      { text: "Now it works." },
    );
    const { page, done } = await inChat(`go ${about}`);
    const card = page.getByRole("region", { name: "The run failed" });
    await card.waitFor({ timeout: 30_000 });
    expect(await card.innerText()).toContain("Nothing was written externally.");
    await expectAccessible(page, "a failed run");
    await picture(page, "chat-failed");
    await do_.button(card, "Try again").click();
    expect(await do_.answer(page, 1)).toContain("Now it works.");
    expect(await do_.toolCard(page, "git.list_dir").count()).toBe(1);
    await done();
  });

  test("RUN-8 a run is ended in the middle of its answer, is shown as cancelled, and the chat goes on", async () => {
    const about = topic();
    local.script.push(
      about,
      { chunks: Array.from({ length: 200 }, (_, n) => `piece${n} `), chunkDelayMs: 100 },
      { text: "All well." },
    );
    const { page, done } = await inChat(`long ${about}`);
    await page.getByTestId("live-text").waitFor();
    await picture(page, "chat-streaming");
    await expectAccessible(page, "a streaming answer");
    await do_.button(page, "Stop").click();
    await page.getByRole("region", { name: "The run was cancelled" }).waitFor({ timeout: 30_000 });
    await expectAccessible(page, "a cancelled run");
    await picture(page, "chat-cancelled");
    // The chat is free for the next message.
    await do_.say(page, "and now?");
    expect(await do_.answer(page, 1)).toContain("All well.");
    await done();
  });
});
