import { runGit } from "@aiw/infra/local/git-command";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, openBrowser, openScreen, picture, type Screen } from "../kit/browser.ts";
import type { Client } from "../kit/client.ts";
import * as do_ from "../kit/pages.ts";
import { answerOf, approve, demoWorkspace, newChat, requestOf, runEnds, runIs, say } from "../kit/people.ts";
import { topic } from "../kit/runs.ts";
import { startLocal, type LocalStack } from "../kit/stack.ts";

const BUG = "replace `goods > DISCOUNT_FROM` with `goods >= DISCOUNT_FROM` in src/discount.ts";

let local: LocalStack;
let browser: Browser;
let workspaceId = "";
let owner: Client;
let member: Client;

beforeAll(async () => {
  [local, browser] = await Promise.all([
    startLocal({ web: true, env: { AIW_TEAM_MAX_PARALLEL_RUNS: "20" } }),
    openBrowser(),
  ]);
  [owner, member] = await Promise.all([local.signIn("owner"), local.signIn("member")]);
  workspaceId = await demoWorkspace(member);
});
afterEach(() => void Object.assign(local.stack.git.switches, { dropAfterPush: false, dropBeforePush: false }));
afterAll(async () => {
  await browser?.close();
  await local?.stop();
});

const enter = async (name: string): Promise<Screen> => {
  const screen = await openScreen(browser, local.url);
  await screen.signIn(name, local.stack.demoPassword);
  return screen;
};
const proposals = (): readonly string[] =>
  runGit(["-C", local.repository.directory, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/ai"])
    .split("\n")
    .filter((line) => line !== "");

describe("RUN-7 a write of which nobody knows whether it took effect", () => {
  interface Unclear {
    readonly chatId: string;
    readonly runId: string;
    readonly requestId: string;
  }

  /** Approved, and the connection breaks when the push arrives: the server cannot confirm it. */
  const unclear = async (): Promise<Unclear> => {
    const chatId = await newChat(member, workspaceId);
    const runId = await say(member, workspaceId, chatId, BUG);
    const request = await requestOf(member, runId);
    local.stack.git.switches.dropBeforePush = true;
    await approve(owner, request);
    await runIs(member, runId, ["needs_reconciliation"]);
    local.stack.git.switches.dropBeforePush = false;
    return { chatId, runId, requestId: request.id };
  };

  /** Says in the form what happened, as the workspace admin who looked at the server. */
  const settle = async ({ page }: Screen, { runId }: Unclear, choice: string, comment: string): Promise<void> => {
    const form = page.getByRole("region", { name: "Settle the outcome" });
    await form.getByRole("radio", { name: new RegExp(`^${choice}`) }).check();
    await form.getByLabel(/^Comment/).fill(comment);
    await do_.button(form, "Record reconciliation").click();
    await page.getByText("Reconciliation recorded").waitFor();
    await runIs(owner, runId, ["completed", "failed"]);
  };

  test("it is shown as unclear to everybody, and only an admin is asked what happened; nothing is assumed", async () => {
    const run = await unclear();
    const asMember = await enter("member");
    await asMember.open(`/w/${workspaceId}/chats/${run.chatId}`);
    const card = asMember.page.getByRole("region", { name: "Outcome unknown" });
    expect(await card.innerText()).toContain("It is not known whether the change took effect.");
    expect(await do_.link(card, "Start reconciliation").count()).toBe(0);
    await expectAccessible(asMember.page, "a chat with an unclear outcome");
    await do_.link(card, "See the run").click();
    await asMember.page.getByText("Workspace admins settle what happened.").waitFor();
    await asMember.open(`/approvals/${run.requestId}`);
    await asMember.page.getByRole("heading", { name: "Outcome unknown" }).waitFor();
    await expectAccessible(asMember.page, "a request with an unclear outcome");
    await picture(asMember.page, "request-unclear");
    await asMember.done();

    const asOwner = await enter("owner");
    const { page } = asOwner;
    await asOwner.open(`/w/${workspaceId}/chats/${run.chatId}`);
    await do_.link(page, "Start reconciliation").click();
    const form = page.getByRole("region", { name: "Settle the outcome" });
    await form.waitFor();
    expect(await form.getByRole("radio").count()).toBe(3);
    await do_.button(form, "Record reconciliation").click();
    await form.getByText("Please pick one of the three.").waitFor();
    await form.getByRole("radio", { name: /^End the run/ }).check();
    await do_.button(form, "Record reconciliation").click();
    await form.getByText("A comment is needed.").waitFor();
    await expectAccessible(page, "the form of reconciliation");
    await picture(page, "reconcile-form");
    expect((await owner.call("getRun", { params: { runId: run.runId } })).status).toBe("needs_reconciliation");

    const before = proposals();
    await settle(asOwner, run, "End the run", "The server refused it.");
    await page.getByText("Why the run ended").waitFor();
    await page.getByText("The server refused it.").first().waitFor();
    expect(proposals()).toEqual(before);
    await asOwner.open(`/w/${workspaceId}/chats/${run.chatId}`);
    const end = await page.getByRole("region", { name: "The run failed" }).innerText();
    expect(end).toContain("without establishing whether the last change took effect");
    expect(end).not.toContain("Nothing was written");
    await picture(page, "chat-ended-by-person");
    await asOwner.open(`/approvals/${run.requestId}`);
    await page.getByText("Reconciliation by Owner: The server refused it.").waitFor();
    await asOwner.done();
  });

  test("not executed, try again: exactly the approved commit is pushed, once, and the run goes on", async () => {
    const before = proposals();
    const run = await unclear();
    expect(proposals()).toEqual(before);
    const screen = await enter("owner");
    await screen.open(`/w/${workspaceId}/runs/${run.runId}`);
    await settle(screen, run, "Not executed, try again", "No such branch on the server.");
    const { preview } = await owner.call("getApproval", { params: { approvalId: run.requestId } });
    const value = (label: string): string => preview.fields?.find((field) => field.label === label)?.value ?? "";
    const added = proposals().filter((line) => !before.includes(line));
    expect(added).toEqual([`refs/heads/${value("branch")} ${value("commit")}`]);
    await screen.open(`/approvals/${run.requestId}`);
    await screen.page.getByText("Approved and executed hash are the same.").waitFor();
    expect(await answerOf(member, workspaceId, run.chatId)).toContain(value("branch"));
    await screen.done();
  });

  test("taken as executed: nothing is pushed again, the run goes on and the page says that a person said so", async () => {
    const before = proposals();
    const run = await unclear();
    const screen = await enter("owner");
    await screen.open(`/w/${workspaceId}/runs/${run.runId}`);
    await settle(screen, run, "Take it as executed", "Pushed by hand.");
    expect(proposals()).toEqual(before);
    await screen.open(`/approvals/${run.requestId}`);
    await screen.page.getByRole("heading", { name: "Taken as executed" }).waitFor();
    await screen.page.getByText("Reconciliation by Owner: Pushed by hand.").waitFor();
    // Nobody but a person said so: there is no proof to show.
    expect(await screen.page.getByText(/executed hash are/).count()).toBe(0);
    await expectAccessible(screen.page, "a reconciled request");
    await picture(screen.page, "request-reconciled");
    await screen.done();
  });

  test("a push that arrived although the connection broke is found by asking the server: no person is bothered", async () => {
    const before = proposals();
    const chatId = await newChat(member, workspaceId);
    const runId = await say(member, workspaceId, chatId, BUG);
    const request = await requestOf(member, runId);
    local.stack.git.switches.dropAfterPush = true;
    await approve(owner, request);
    expect((await runEnds(member, runId)).status).toBe("completed");
    expect(proposals()).toHaveLength(before.length + 1);
    const screen = await enter("member");
    await screen.open(`/w/${workspaceId}/chats/${chatId}`);
    await do_.toolCard(screen.page, "git.propose_change").getByText("Executed").waitFor();
    expect(await screen.page.getByRole("region", { name: "Outcome unknown" }).count()).toBe(0);
    await screen.done();
  });
});

test("RUN-10 at the limit of tool rounds the answer says where it stands, and Continue goes on from there", async () => {
  const about = topic();
  const look = { calls: [{ name: "git_list_dir", arguments: { path: "src" } }] };
  local.script.push(about, look, { text: "So far I saw src." }, { text: "And now I am done." });
  await owner.call("updateWorkspace", { params: { workspaceId }, body: { maxToolRounds: 1 } });
  const screen = await enter("member");
  const { page } = screen;
  await do_.startChat(screen, workspaceId);
  await do_.say(page, `look around ${about}`);
  expect(await do_.answer(page, 1)).toContain("So far I saw src.");
  const card = page.getByRole("region", { name: "Step limit reached" });
  await expectAccessible(page, "a run at its limit");
  await picture(page, "chat-limit");
  await do_.button(card, "Continue").click();
  expect(await do_.answer(page, 2)).toContain("And now I am done.");
  await page.getByText("Please continue.").waitFor();
  expect(await do_.button(page, "Continue").count()).toBe(0);
  await owner.call("updateWorkspace", { params: { workspaceId }, body: { maxToolRounds: 24 } });
  await screen.done();
});

test("CHT-4 what is written while a run waits for an approval waits behind it, says so, and is answered afterwards", async () => {
  const screen = await enter("member");
  const { page } = screen;
  const chatId = await do_.startChat(screen, workspaceId);
  await do_.say(page, BUG);
  await do_.waiting(page).waitFor({ timeout: 30_000 });
  await page.getByText("A run is active. The message is handled after it.").waitFor();
  await do_.say(page, "list src");
  const queued = page.getByRole("article", { name: "You" }).filter({ hasText: "list src" });
  await queued.getByText("Waits until the present run has ended").waitFor();
  await expectAccessible(page, "a message that waits");
  await picture(page, "chat-message-waits");
  await do_.reload(page);
  await queued.getByText("Waits until the present run has ended").waitFor();

  const { runs } = await member.call("getChat", { params: { workspaceId, chatId } });
  const request = await requestOf(member, runs[0]?.id ?? "");
  await owner.call("reject", {
    params: { approvalId: request.id },
    body: { seenHash: request.snapshotHash, reason: "Not today." },
  });
  expect(await do_.answer(page, 1)).toContain("Not today.");
  expect(await do_.answer(page, 2)).toContain("discount.ts");
  expect(await page.getByText("Waits until the present run has ended").count()).toBe(0);
  await screen.done();
});

test("RUN-13 an answer that a guardrail stops in its middle is withheld, also after a reload", async () => {
  const about = topic();
  local.script.push(about, { text: "The secret is hidden in the second half.", streamFault: "guardrail_midstream" });
  const screen = await enter("member");
  const { page } = screen;
  await do_.startChat(screen, workspaceId);
  await do_.say(page, `tell ${about}`);
  await page.getByRole("region", { name: "Blocked by guardrail" }).waitFor({ timeout: 30_000 });
  for (const again of [false, true]) {
    if (again) await do_.reload(page);
    await page.getByRole("region", { name: "Blocked by guardrail" }).waitFor();
    expect(await page.getByRole("region", { name: "Thread" }).innerText()).not.toContain("The secret");
  }
  await expectAccessible(page, "a withheld answer");
  await picture(page, "chat-withheld");
  await screen.done();
});

test("RUN-12 RUN-15 broken arguments and a gateway that fails for a moment do not end a run", async () => {
  const about = topic();
  local.script.push(
    about,
    { calls: [{ name: "git_read_file", arguments: '{"path": "src/tot' }] },
    {
      fail: {
        status: 429,
        body: { error: { message: "slow down", type: "rate_limit", code: null } },
        headers: { "retry-after": "1" },
      },
    },
    { text: "I got there." },
  );
  const screen = await enter("member");
  await do_.startChat(screen, workspaceId);
  await do_.say(screen.page, `read ${about}`);
  expect(await do_.answer(screen.page, 1)).toContain("I got there.");
  const card = do_.toolCard(screen.page, "git.read_file");
  await card.getByText("Failed").waitFor();
  await card.getByRole("button").first().click();
  await expectAccessible(screen.page, "a call with broken arguments");
  await picture(screen.page, "chat-broken-arguments");
  await screen.done();
});

test("SRC-2 after a failed sign-in at the server the next action works: a new token, a passed test, an open chat", async () => {
  const screen = await enter("owner");
  const { page } = screen;
  const ownWorkspace = await do_.createWorkspace(screen, "Wrong token first");
  await do_.connectSource(screen, ownWorkspace, { url: local.repository.url, token: "wrong-token-1234" });
  await page.getByText("The source is connected, its test failed.").waitFor({ timeout: 30_000 });
  await do_.link(page, "Show source").click();
  await page.getByLabel(/^New access token/).fill(local.gitToken);
  await do_.button(page, "Replace token").click();
  await page.getByText("Test passed").waitFor({ timeout: 30_000 });
  await picture(page, "source-recovered");
  await do_.startChat(screen, ownWorkspace);
  await screen.done();
});
