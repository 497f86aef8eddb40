import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptBrain } from "@aiw/infra/local/demo-gateway/brain-script";
import { startDemoGateway, type DemoGateway } from "@aiw/infra/local/demo-gateway/server";
import { expectAccessible, expectNoSidewaysScroll, openBrowser, openScreen, type Screen } from "../kit/browser.ts";
import * as do_ from "../kit/pages.ts";
import { startLocal, type LocalStack } from "../kit/stack.ts";

const KEY = "sk-second-gateway-0123-wxyz";
let local: LocalStack;
let browser: Browser;
let gateway: DemoGateway;

beforeAll(async () => {
  const brain = scriptBrain(() => ({ text: "Answered by the second gateway." }));
  [local, browser, gateway] = await Promise.all([
    startLocal({ web: true }),
    openBrowser(),
    startDemoGateway({ apiKey: KEY, brain: { ...brain, models: ["deep-thought", "quick-wit"] } }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([local?.stop(), gateway?.stop()]);
});

const enter = async (name: string): Promise<Screen> => {
  const screen = await openScreen(browser, local.url, { width: 1280 });
  await screen.signIn(name, local.stack.demoPassword);
  return screen;
};

test("GW-2 GW-3 AI-6 an admin adds a gateway, a key, and one of its models; it is tested, chosen in a chat, answers, and says what it cost", async () => {
  const second = `Gateway ${randomUUID().slice(0, 4)}`;
  const admin = await enter("admin");
  const { page } = admin;
  await admin.open("/admin/models?tab=gateways");
  await do_.button(page, "Add a gateway").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(second);
  await dialog.getByLabel("Address").fill(gateway.url);
  await do_.button(dialog, "Add a gateway").click();
  await page.getByRole("heading", { name: second }).waitFor();

  // Without a key there is a readable reason, and with one the list.
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: second }) });
  await do_.button(card, `Fetch models: ${second}`).click();
  await card
    .getByText(/There is no key for the gateway/)
    .first()
    .waitFor({ timeout: 20_000 });
  await do_.button(card, "Set the key: Shared key").click();
  await dialog
    .getByRole("textbox", { name: /New key/ })
    .or(dialog.locator('input[name="gateway-key"]'))
    .first()
    .fill(KEY);
  await do_.button(dialog, "Save").click();
  await card.getByText("ends in wxyz").waitFor();
  expect(await page.content()).not.toContain(KEY);
  await do_.button(card, `Fetch models: ${second}`).click();
  await card.getByText("2 models on offer").click({ timeout: 20_000 });
  await expectAccessible(page, "gateways");
  await do_.button(card, "Add: deep-thought").click();
  await card.getByText("added already").waitFor();

  await admin.open("/admin/models");
  await do_.button(page, "Edit: deep-thought").click();
  await dialog.getByLabel("Display name").fill("Deep Thought");
  await dialog.getByLabel("Input", { exact: true }).fill("2,5");
  await dialog.getByLabel("Output", { exact: true }).fill("10");
  await dialog.getByLabel("Size of the context in tokens").fill("200 000");
  await expectAccessible(page, "a model's form");
  await do_.button(dialog, "Save").click();
  await page.getByText("200,000 tokens of context").waitFor();
  await do_.button(page, "Test: Deep Thought").click();
  await page.getByText(/Test passed/).waitFor({ timeout: 20_000 });

  const member = await enter("member");
  const [workspace] = await local.admin.sql<{ id: string }[]>`select id from workspaces where name = 'Orders'`;
  await do_.startChat(member, workspace?.id ?? "");
  await member.page.getByLabel("Model", { exact: true }).selectOption({ label: "Deep Thought" });
  await do_.say(member.page, "Who answers?");
  expect(await do_.answer(member.page, 1)).toContain("Answered by the second gateway.");
  const article = do_.answers(member.page).first();
  await article.getByText(/deep-thought/).waitFor();
  await article.getByText(/\$0\.00\d+/).waitFor();
  await do_.reload(member.page);
  await do_
    .answers(member.page)
    .first()
    .getByText(/\$0\.00\d+/)
    .waitFor();
  await expectAccessible(member.page, "a chat with a model of its own");

  // Switched off under it, the chat says so and is answered by what its workspace has.
  await do_.button(page, "Edit: Deep Thought").click();
  await dialog.getByLabel(/^Switched on/).uncheck();
  await do_.button(dialog, "Save").click();
  await page.getByText("Switched off").waitFor();
  await do_.reload(member.page);
  await member.page
    .getByText(/Until a new choice/)
    .first()
    .waitFor();
  await admin.done();
  await member.done();
});

test("GW-2 a workspace admin chooses a model in the settings; members see it and cannot change it", async () => {
  const [workspace] = await local.admin.sql<{ id: string }[]>`select id from workspaces where name = 'Orders'`;
  const path = `/w/${workspace?.id ?? ""}/settings?tab=model`;
  const owner = await enter("owner");
  await owner.open(path);
  await owner.page.getByLabel("Model of this workspace").selectOption({ label: "Thorough: demo-grammar" });
  await do_.button(owner.page, "Save").click();
  await owner.page.getByText("Model chosen").waitFor();
  const member = await enter("member");
  await member.open(path);
  expect(await member.page.getByLabel("Model of this workspace").isDisabled()).toBe(true);
  await expectAccessible(member.page, "the choice of a model");
  await owner.done();
  await member.done();
});

test("GW-4 a line of the guardrail map is added, changed and removed; one of the product is put back", async () => {
  const admin = await openScreen(browser, local.url, { width: 360, height: 780 });
  await admin.signIn("admin", local.stack.demoPassword);
  const { page } = admin;
  await admin.open("/admin/models?tab=guardrails");
  const dialog = page.getByRole("dialog");
  await do_.button(page, "Add a line").click();
  await dialog.getByLabel("Name of the line").fill("house_rule");
  await do_.button(dialog, "Save").click();
  await dialog.getByText("At least one condition is needed.").waitFor();
  await dialog.getByLabel("Code", { exact: true }).fill("POLICY_7, POLICY_8");
  await expectAccessible(page, "a line of the guardrail map");
  await do_.button(dialog, "Save").click();
  await page.getByText("POLICY_7, POLICY_8").waitFor();
  await expectNoSidewaysScroll(page, "the guardrail map on a phone");
  await do_.button(page, "Change: status_446").click();
  await dialog.getByLabel("Switched on").uncheck();
  await do_.button(dialog, "Save").click();
  await do_.button(page, "Put back: status_446").click();
  await do_.button(page, "Put back: status_446").waitFor({ state: "detached" });
  await do_.button(page, "Remove: house_rule").click();
  await page.getByText("POLICY_7, POLICY_8").waitFor({ state: "detached" });
  await admin.done();
});
