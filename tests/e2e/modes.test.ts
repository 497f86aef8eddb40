import { BUILT_IN_AGENT } from "@aiw/contract/agents";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, openBrowser, openScreen, picture, type Screen } from "../kit/browser.ts";
import type { Client } from "../kit/client.ts";
import * as do_ from "../kit/pages.ts";
import { demoWorkspace, newChat, runEnds, runIs, say } from "../kit/people.ts";
import { topic } from "../kit/runs.ts";
import { startLocal, type LocalStack } from "../kit/stack.ts";

const BUG = "replace `goods > DISCOUNT_FROM` with `goods >= DISCOUNT_FROM` in src/discount.ts";

let local: LocalStack;
let browser: Browser;
let workspaceId = "";
let member: Client;

beforeAll(async () => {
  [local, browser] = await Promise.all([startLocal({ web: true }), openBrowser()]);
  member = await local.signIn("member");
  workspaceId = await demoWorkspace(member);
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
});

const enter = async (name: string, width?: number): Promise<Screen> => {
  const screen = await openScreen(browser, local.url, width === undefined ? {} : { width });
  await screen.signIn(name, local.stack.demoPassword);
  return screen;
};

test("AGT-1 APR-8 an admin lets the agent submit; the chat goes on, the approved call runs by itself, the chat is told", async () => {
  const asOwner = await enter("owner");
  await asOwner.open(`/w/${workspaceId}/settings?tab=agent`);
  await asOwner.page.getByRole("radio", { name: /^Submit/ }).check();
  await asOwner.page.getByLabel("Note for approvers").fill("Ask the owner first.");
  await expectAccessible(asOwner.page, "settings of the agent");
  await picture(asOwner.page, "agent-settings");
  await do_.button(asOwner.page, "Save").click();
  await asOwner.page.getByText(/^Version 1, saved by/).waitFor();

  const asMember = await enter("member");
  const chatId = await do_.startChat(asMember, workspaceId);
  await do_.say(asMember.page, BUG);
  await do_.answer(asMember.page, 1);
  const card = do_.toolCard(asMember.page, "git.propose_change");
  await card.getByText("Submitted").waitFor();
  expect(await do_.waiting(asMember.page).count()).toBe(0);
  const href = await do_.link(card, "Request").first().getAttribute("href");

  await asOwner.open(href ?? "");
  await asOwner.page.getByText("Ask the owner first.").waitFor();
  await asOwner.page.getByText("The run that asked does not wait.", { exact: false }).waitFor();
  await expectAccessible(asOwner.page, "a staged request");
  await do_.approveByKeys(asOwner.page);

  const told = asMember.page.getByRole("article", { name: "Outcome of a request" });
  await told.getByText("Executed").waitFor();
  expect(await do_.answer(asMember.page, 2)).toContain("Outcome of request #");
  await expectAccessible(asMember.page, "a chat with a told outcome");
  await picture(asMember.page, "chat-outcome");
  const chat = await member.call("getChat", { params: { workspaceId, chatId } });
  expect(chat.approvals.map((a) => a.status)).toEqual(["executed"]);
  await asMember.open(`/w/${workspaceId}/runs/${chat.runs[0]?.id ?? ""}`);
  await asMember.page.getByRole("heading", { name: "Runs of its own" }).waitFor();
  await asMember.done();
  await asOwner.done();
});

test("AGT-3 POL-7 an admin chooses a tool whose calls need a person, with a condition that is checked; a read then waits, members see the choice", async () => {
  const asOwner = await enter("owner");
  const { page } = asOwner;
  asOwner.expectAnswer(400, /\/agent$/);
  await asOwner.open(`/w/${workspaceId}/settings?tab=agent`);
  await page.getByRole("radio", { name: /^Wait/ }).check();
  await do_.button(page, "Choose a tool").click();
  await do_.button(page, "Save").click();
  await page.getByText("Please choose a tool.").waitFor();
  await page.getByLabel(/^Tool/).selectOption("git.read_file");
  const condition = page.getByLabel(/^Only when/);
  await condition.fill("param.path = 'README.md'");
  await do_.button(page, "Save").click();
  await page.locator("textarea[aria-invalid=true]").waitFor();
  await condition.fill('param.path == "README.md"');
  await expectAccessible(page, "a gated tool of the agent");
  await picture(page, "agent-gates");
  await do_.button(page, "Save").click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  await asOwner.open(`/w/${workspaceId}/settings?tab=agent`);
  expect(await page.getByLabel(/^Only when/).inputValue()).toBe('param.path == "README.md"');

  const t = topic();
  const read = (path: string) => ({ name: "git_read_file", arguments: { source: "orders-service", path } });
  local.script.push(t, { calls: [read("src/discount.ts")] }, { calls: [read("README.md")] }, { text: "Read." });
  const chatId = await newChat(member, workspaceId);
  const runId = await say(member, workspaceId, chatId, t);
  await runIs(member, runId, ["waiting_approval"]);
  const asMember = await enter("member");
  await asMember.open(`/w/${workspaceId}/settings?tab=agent`);
  await asMember.page.getByText('param.path == "README.md"').waitFor();
  expect(await do_.button(asMember.page, "Choose a tool").count()).toBe(0);
  await expectAccessible(asMember.page, "gated tools for members");
  const { approvals } = await member.call("getRun", { params: { runId } });
  expect(approvals.map((a) => [a.tool, a.status])).toEqual([["git.read_file", "pending"]]);
  await member.call("cancelRun", { params: { runId } });
  await runEnds(member, runId);
  await do_.button(page, "Remove the tool").click();
  await do_.button(page, "Save").click();
  await page.getByText("No tools chosen.").waitFor();
  await asMember.done();
  await asOwner.done();
});

test("APR-9 APR-10 an input is asked for, answered in a masked field on a phone, and shown nowhere", async () => {
  const owner = await local.signIn("owner");
  const { version } = await owner.call("getAgent", { params: { workspaceId } });
  await owner.call("saveAgent", {
    params: { workspaceId },
    body: {
      version,
      settings: {
        ...BUILT_IN_AGENT,
        inputs: [
          {
            name: "get_mfa",
            prompt: "Ask for the code.",
            label: "MFA code",
            params: [{ name: "account", type: "str" }],
            sensitive: true,
          },
        ],
      },
    },
  });
  const t = topic();
  local.script.push(
    t,
    { calls: [{ name: "get_mfa", arguments: { account: "demo@example.com" } }] },
    { text: "Signed in with 00123477." },
  );
  const chatId = await newChat(member, workspaceId);
  const runId = await say(member, workspaceId, chatId, t);
  await runIs(member, runId, ["waiting_input"]);
  const asOwner = await enter("owner", 360);
  await asOwner.open(`/w/${workspaceId}/chats/${chatId}`);
  await do_.waiting(asOwner.page).getByText("Waiting for input: MFA code").waitFor();
  await do_.link(do_.waiting(asOwner.page), "Provide response").click();
  await asOwner.page.getByText("demo@example.com").waitFor();
  await do_.button(asOwner.page, "Provide response").click();
  const field = asOwner.page.getByLabel(/^MFA code/);
  expect(await field.getAttribute("type")).toBe("password");
  expect(await field.getAttribute("autocomplete")).toBe("off");
  await field.fill("00123477");
  await expectAccessible(asOwner.page, "an input request");
  await picture(asOwner.page, "input-request");
  await do_.button(asOwner.page, "Submit and continue").click();
  await runEnds(member, runId);
  await asOwner.open(`/w/${workspaceId}/settings?tab=agent`);
  expect(await asOwner.page.getByLabel(/^Label of the field/).inputValue()).toBe("MFA code");
  await asOwner.open(`/w/${workspaceId}/chats/${chatId}`);
  expect(await do_.answer(asOwner.page, 1)).toContain("Signed in with [REDACTED].");
  expect(await asOwner.page.content()).not.toContain("00123477");
  const kept = await asOwner.page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  expect(kept).not.toContain("00123477");
  await asOwner.done();
});

test("RUN-16 the agent asks, and whoever started the run answers in the chat", async () => {
  const t = topic();
  const asked = { question: "Which limit?", anyone: false };
  local.script.push(t, { calls: [{ name: "ask_user", arguments: asked }] }, { text: "Noted." });
  const asMember = await enter("member");
  await do_.startChat(asMember, workspaceId);
  await do_.say(asMember.page, t);
  const dock = asMember.page.getByTestId("question");
  await dock.getByText("Which limit?").waitFor();
  const card = await asMember.page.getByRole("article", { name: "user.ask_user" }).innerText();
  expect(card).toMatch(/The AI asks:\s*Which limit\?/);
  expect(card).toContain("Waiting for input");
  expect(card).not.toMatch(/false|approval/);
  await expectAccessible(asMember.page, "a question of the agent");
  await dock.getByLabel("Answer").fill("One hundred");
  await do_.button(dock, "Answer").click();
  expect(await do_.answer(asMember.page, 1)).toContain("Noted.");
  await asMember.done();
});
