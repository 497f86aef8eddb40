import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQueue } from "@aiw/platform/queue";
import { expectAccessible, expectNoSidewaysScroll, openBrowser, openScreen, picture } from "../kit/browser.ts";
import * as do_ from "../kit/pages.ts";
import { demoWorkspace } from "../kit/people.ts";
import { type LocalStack, startLocal } from "../kit/stack.ts";

let local: LocalStack;
let browser: Browser;
beforeAll(async () => {
  [local, browser] = await Promise.all([startLocal({ web: true }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
});

const letter = async (body: object): Promise<void> => {
  const { environment } = local.stack;
  const url = `${environment["AIW_STEP_QUEUE_URL"] ?? ""}-dead`;
  const queue = createQueue({ endpoint: environment["AIW_SQS_ENDPOINT"] ?? "", region: "eu-central-1", url });
  await queue.send(body);
  queue.close();
};

test("RUN-20 ADM-1 a platform admin sees dead letters with their reason, delivers one again and takes one away", async () => {
  const screen = await openScreen(browser, local.url, { locale: "de", theme: "dark", width: 390 });
  await screen.signIn("admin", local.stack.demoPassword);
  await screen.open("/admin/dead-letters");
  const { page } = screen;
  await page.getByText("Nichts Unzustellbares").waitFor();
  await letter({ v: 2, runId: "of a later version" });
  await letter({ note: "<b>not\u202eours</b>" });
  await screen.open("/admin/dead-letters");
  await page.getByText("Unbekannte Version").waitFor();
  const list = page.getByRole("list", { name: "Unzustellbare Nachrichten" });
  expect(await list.getByRole("listitem").count()).toBe(2);
  // What somebody wrote is text, and what it hides is shown.
  expect(await list.locator("b").count()).toBe(0);
  await expectAccessible(page, "dead letters");
  await expectNoSidewaysScroll(page, "dead letters");
  await picture(page, "dead-letters-de-dark-390");
  await list
    .getByRole("listitem")
    .filter({ hasText: "Unbekannte" })
    .getByRole("button", { name: /erneut zustellen/ })
    .click();
  await page.getByText("Unbekannte Version").waitFor({ state: "detached" });
  await list.getByRole("button", { name: /entfernen/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Entfernen" }).click();
  await page.getByText("Nichts Unzustellbares").waitFor();
  const rows = await local.admin.sql`select event from audit_events where event like 'dead_letter.%' order by id`;
  expect(rows.map((r) => r["event"])).toEqual(["dead_letter.redriven", "dead_letter.removed"]);
  await screen.done();
});

test("RUN-10 ADM-1 a platform admin sets the bounds of runs and the slots of a team; a number above the installation's is refused in words", async () => {
  const screen = await openScreen(browser, local.url, { locale: "en", theme: "light", width: 390 });
  await screen.signIn("admin", local.stack.demoPassword);
  await screen.open("/admin/limits");
  const { page } = screen;
  const calls = page.getByLabel("Model calls");
  await calls.fill("100000");
  await do_.button(page, "Save limits").click();
  await page.getByText("A whole number from 1 to 200, or empty.").waitFor();
  await expectAccessible(page, "limits");
  await calls.fill("150");
  await do_.button(page, "Save limits").click();
  await page.getByText("Limits saved").first().waitFor();
  await expectNoSidewaysScroll(page, "limits");
  await picture(page, "limits-en-light-390");
  const [set] = await local.admin.sql`select max_model_calls, max_run_tokens from platform_settings`;
  expect(set).toMatchObject({ max_model_calls: 150, max_run_tokens: null });

  await screen.open("/admin/users");
  await page.getByRole("button", { name: "Change limit: Logistics" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Runs at the same time/).fill("7");
  await expectAccessible(page, "the limit of a team");
  await dialog.getByRole("button", { name: "Save limit" }).click();
  await dialog.waitFor({ state: "detached" });
  const [team] = await local.admin.sql`select max_parallel_runs from teams where name = 'Logistics'`;
  expect(team).toMatchObject({ max_parallel_runs: 7 });
  await screen.done();
});

test("POL-11 a platform admin sees the workspace whose sources combine dangerously, lifts its block with a reason and puts it back; members read who and why", async () => {
  const owner = await local.signIn("owner");
  const workspaceId = await demoWorkspace(owner);
  await local.admin
    .sql`update sources set sensitivity = 'confidential', trust = 'untrusted' where workspace_id = ${workspaceId}`;
  const screen = await openScreen(browser, local.url, { locale: "en", theme: "light", width: 390 });
  await screen.signIn("admin", local.stack.demoPassword);
  await screen.open("/admin/policies");
  const { page } = screen;
  const list = page.getByRole("list", { name: "Dangerous combinations" });
  await list.getByText("Tools of servers that write to the outside are blocked here.").waitFor();
  await expectAccessible(page, "a dangerous combination");
  await expectNoSidewaysScroll(page, "a dangerous combination");
  await picture(page, "combination-en-light-390");
  await list.getByRole("button", { name: /^Lift block/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Lift block" }).click();
  await dialog.getByText("A reason is needed.").waitFor();
  await dialog.getByLabel(/^Reason/).fill("Reviewed with <b>the data owner</b>");
  await expectAccessible(page, "lifting a block");
  await dialog.getByRole("button", { name: "Lift block" }).click();
  await list.getByText("Reason: Reviewed with <b>the data owner</b>").waitFor();
  await expectAccessible(page, "a lifted block");

  const member = await openScreen(browser, local.url, { locale: "de", theme: "dark" });
  await member.signIn("member", local.stack.demoPassword);
  await member.open(`/w/${workspaceId}/settings?tab=rules`);
  const part = member.page.getByRole("region", { name: "Gefährliche Kombination" });
  await part.getByText(/^Sperre aufgehoben von /).waitFor();
  await part.getByText("Begründung: Reviewed with <b>the data owner</b>").waitFor();
  expect(await part.getByRole("link").count()).toBe(0);
  await expectAccessible(member.page, "a lifted block for members");
  await picture(member.page, "combination-de-dark-1360");
  await list.getByRole("button", { name: /^Block again/ }).click();
  await list.getByText("Tools of servers that write to the outside are blocked here.").waitFor();
  await member.open(`/w/${workspaceId}/settings?tab=rules`);
  await part.getByText("Tools von Servern, die nach außen schreiben, sind hier gesperrt.").waitFor();
  await member.done();
  await screen.done();
});
