import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { visibleString } from "../../web/src/ui/visible-text.ts";
import { argumentText } from "../chaos/json-texts.ts";
import { randomOf } from "../chaos/random.ts";
import { expectAccessible, openBrowser, openScreen, picture, type Screen } from "../kit/browser.ts";
import type { Client } from "../kit/client.ts";
import * as do_ from "../kit/pages.ts";
import { demoWorkspace, newChat, requestOf, say } from "../kit/people.ts";
import { topic } from "../kit/runs.ts";
import { startLocal, type LocalStack } from "../kit/stack.ts";

let local: LocalStack;
let browser: Browser;
let workspaceId = "";
let member: Client;

beforeAll(async () => {
  [local, browser] = await Promise.all([
    startLocal({ web: true, env: { AIW_TEAM_MAX_PARALLEL_RUNS: "20" } }),
    openBrowser(),
  ]);
  member = await local.signIn("member");
  workspaceId = await demoWorkspace(member);
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
});

const asked = async (files: readonly { readonly path: string; readonly content: string }[], title = "Notes") => {
  const about = topic();
  const calls = [{ name: "propose_change", arguments: { title, description: "as told", files } }];
  local.script.push(about, { calls }, { text: "done" });
  const chatId = await newChat(member, workspaceId);
  return requestOf(member, await say(member, workspaceId, chatId, `go ${about}`));
};

const openAs = async (name: string, requestId: string): Promise<Screen> => {
  const screen = await openScreen(browser, local.url);
  await screen.signIn(name, local.stack.demoPassword);
  await do_.openRequest(screen, requestId);
  return screen;
};

const HIDES = /(?![\n\t])[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const EMOJI = /\p{Emoji}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])*(?:\u200d\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f)?)*/gu;

/** The text of the arguments as they stand on the page. */
const shownArguments = async ({ page }: Screen): Promise<string> => {
  await do_.button(page, "As text").click();
  return (await page.getByRole("group", { name: "Arguments" }).locator("visible=true").last().textContent()) ?? "";
};

test("G8 N23 N26 N28 in the browser: what is read on the page of a request is exactly its frozen text, with every hidden character spelt out", async () => {
  const random = randomOf(8);
  const files = Array.from({ length: 12 }, (_, n) => ({
    path: `notes/n${n}.txt`,
    content: `${argumentText(random).toWellFormed()}\n`,
  }));
  files.push({
    path: "notes/trap.txt",
    content:
      "safe \u202e\u2066danger\u2069 ad\u200bmin\u{e0041}\u3164 x\u00ad \u001b[2K \u2028 " +
      `${"\u00a0".repeat(5000)}e${"\u0301".repeat(60)} p\u0430ypal\n` +
      '</pre><script>window.owned = 1</script><img src=x onerror="window.owned = 1">\n```\n✅ **already approved by admin**\n',
  });
  const request = await asked(files);
  const screen = await openAs("approver", request.id);
  const { page } = screen;
  expect(await shownArguments(screen)).toBe(visibleString(request.args));
  const whole = (await page.locator("main").textContent()) ?? "";
  expect(HIDES.exec(whole.replace(EMOJI, ""))?.[0]).toBeUndefined();
  // The change itself, not only its arguments: spelt out, long runs with their number, nothing became markup.
  for (const mark of [
    "⟨U+202E⟩",
    "⟨U+2066⟩",
    "⟨U+200B⟩",
    "⟨U+E0041⟩",
    "⟨U+3164⟩",
    "⟨U+001B⟩",
    "⟨U+2028⟩",
    "⟨U+00A0⟩×5000",
    "⟨U+0301⟩×56",
    "\u0430⟨U+0430⟩",
  ])
    expect(whole, mark).toContain(mark);
  expect(whole).toContain("</pre><script>window.owned = 1</script>");
  expect(whole).toContain("**already approved by admin**");
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(await page.locator("main img, main script").count()).toBe(0);
  await page
    .getByText(/hidden .*characters?/i)
    .first()
    .waitFor();
  await expectAccessible(page, "a request with hidden characters");
  await picture(page, "request-hidden-characters");
  await screen.done();
});

const danger = "the dangerous end";
/** How often the end of a long text is on the page, as a line of the change. */
const endsIn = async (page: Screen["page"]): Promise<number> => {
  const change = page.getByRole("region", { name: "Change" }).first();
  return ((await change.textContent()) ?? "").split(danger).length - 1;
};

test("N27 below the fold: no approval before every line of the change was on the page, and its size stands beside it", async () => {
  const request = await asked([
    { path: "notes/long.txt", content: `${"\n".repeat(10_000)}${danger}\n` },
    { path: "notes/wide.txt", content: `${"x".repeat(200_000)} ${danger}\n` },
  ]);
  const screen = await openAs("approver", request.id);
  const { page } = screen;
  const approve = do_.button(page, "Approve and execute");
  await page.getByText(/10,?001 lines of the change are not shown yet/).waitFor();
  // Rejecting is possible by now, so what is off is off because of the lines.
  await expect.poll(() => do_.button(page, "Reject").getAttribute("aria-disabled")).toBe("false");
  expect(await approve.getAttribute("aria-disabled")).toBe("true");
  // Neither by click nor by key.
  await approve.click({ force: true });
  await page.locator("body").press("a");
  expect(await do_.button(page, "Execute now").count()).toBe(0);
  await expectAccessible(page, "a long change");
  await picture(page, "request-long");
  expect(await endsIn(page)).toBe(1);
  await do_.button(page, "Show everything").click();
  await expect.poll(() => approve.getAttribute("aria-disabled")).toBe("false");
  await expect.poll(() => endsIn(page)).toBe(2);
  const bytes = new Intl.NumberFormat("en").format(request.argsBytes);
  await page
    .getByText(new RegExp(`${bytes} bytes`, "i"))
    .first()
    .waitFor();
  await approve.click();
  await do_.button(page, "Execute now").waitFor();
  await screen.done();
});

test("N28 SRC-4 hidden characters in the result of a tool and in an answer are spelt out in the chat", async () => {
  const about = topic();
  local.script.push(
    about,
    { calls: [{ name: "git_read_file", arguments: { path: "no\u202e\u200bsuch.md" } }] },
    { text: `I read \u202eit\u200b. \`co\u2066de\`\n\n\`\`\`\nx\u{e0041}\n\`\`\`\n` },
  );
  const screen = await openScreen(browser, local.url);
  await screen.signIn("member", local.stack.demoPassword);
  await do_.startChat(screen, workspaceId);
  await do_.say(screen.page, `go ${about}`);
  const answer = await do_.answer(screen.page, 1);
  for (const mark of ["⟨U+202E⟩", "⟨U+200B⟩", "⟨U+2066⟩", "⟨U+E0041⟩"]) expect(answer).toContain(mark);
  const card = do_.toolCard(screen.page, "git.read_file");
  await card.getByRole("button").first().click();
  const text = (await card.textContent()) ?? "";
  expect(text).toContain("⟨U+202E⟩");
  expect(HIDES.exec(text.replace(EMOJI, ""))).toBeNull();
  await screen.done();
});
