import { guardrailTurn } from "@aiw/infra/local/demo-gateway/brain-script";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openBrowser,
  openScreen,
  picture,
  settled,
  type ScreenOptions,
} from "../kit/browser.ts";
import * as do_ from "../kit/pages.ts";
import { approve, demoWorkspace, newChat, requestOf, runEnds, say } from "../kit/people.ts";
import { topic } from "../kit/runs.ts";
import { startLocal, type LocalStack } from "../kit/stack.ts";

const PHONE = 390;
const DESK = 1360;
const change = (find: string, replace: string, path: string): string =>
  `ersetze \`${find}\` durch \`${replace}\` in ${path}`;

let local: LocalStack;
let browser: Browser;
let workspaceId = "";
/** Addresses of things in every state worth looking at. */
const places: Record<string, string> = {};

beforeAll(async () => {
  [local, browser] = await Promise.all([
    startLocal({ web: true, env: { AIW_TEAM_MAX_PARALLEL_RUNS: "20" } }),
    openBrowser(),
  ]);
  const [owner, member, approver] = await Promise.all([
    local.signIn("owner"),
    local.signIn("member"),
    local.signIn("approver"),
  ]);
  workspaceId = await demoWorkspace(member);
  const base = `/w/${workspaceId}`;
  const { items } = await member.call("listSources", { params: { workspaceId } });
  const fresh = await owner.call("createWorkspace", {
    body: { name: "Fresh", description: "Nothing is connected yet." },
  });

  const talk = await newChat(member, workspaceId);
  for (const text of ["find `discount`", "erkläre src/total.ts", "read README.md"])
    await runEnds(member, await say(member, workspaceId, talk, text));
  const done = await newChat(member, workspaceId);
  const executed = await say(
    member,
    workspaceId,
    done,
    change("goods > DISCOUNT_FROM", "goods >= DISCOUNT_FROM", "src/discount.ts"),
  );
  const first = await requestOf(member, executed);
  await approve(approver, first);
  await runEnds(member, executed);
  const refused = await say(
    member,
    workspaceId,
    await newChat(member, workspaceId),
    change("const SHIPPING = 490;", "const SHIPPING = 590;", "src/shipping.ts"),
  );
  const second = await requestOf(member, refused);
  await approver.call("reject", {
    params: { approvalId: second.id },
    body: { seenHash: second.snapshotHash, reason: "The price list says otherwise." },
  });
  await runEnds(member, refused);
  const waits = await newChat(member, workspaceId);
  const third = await requestOf(
    member,
    await say(member, workspaceId, waits, change("at least one item", "one item or more", "src/order.ts")),
  );
  const about = topic();
  local.script.push(about, guardrailTurn("litellm"));
  const stopped = await newChat(member, workspaceId);
  await runEnds(member, await say(member, workspaceId, stopped, `please ${about}`));

  Object.assign(places, {
    workspaces: "/workspaces",
    overview: base,
    "overview-fresh": `/w/${fresh.id}`,
    "chats-locked": `/w/${fresh.id}/chats`,
    chats: `${base}/chats`,
    chat: `${base}/chats/${talk}`,
    "chat-executed": `${base}/chats/${done}`,
    "chat-waiting": `${base}/chats/${waits}`,
    "chat-guardrail": `${base}/chats/${stopped}`,
    inbox: "/approvals",
    "inbox-done": "/approvals?filter=done",
    "request-open": `/approvals/${third.id}`,
    "request-executed": `/approvals/${first.id}`,
    "request-rejected": `/approvals/${second.id}`,
    runs: `${base}/runs`,
    run: `${base}/runs/${executed}`,
    "run-timeline": `${base}/runs/${executed}?view=timeline`,
    "run-json": `${base}/runs/${executed}?view=json`,
    sources: `${base}/sources`,
    "source-new": `${base}/sources/new`,
    source: `${base}/sources/${items[0]?.id ?? ""}`,
    "settings-general": `${base}/settings`,
    "settings-members": `${base}/settings?tab=members`,
    "settings-rules": `${base}/settings?tab=rules`,
    "settings-tools": `${base}/settings?tab=tools`,
    me: "/me",
    nowhere: "/nowhere",
  });
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
});

const enter = async (name: string, options: ScreenOptions) => {
  const screen = await openScreen(browser, local.url, options);
  await screen.signIn(name, local.stack.demoPassword);
  return screen;
};

const looks = (["de", "en"] as const).flatMap((locale) =>
  (["light", "dark"] as const).flatMap((theme) => [PHONE, DESK].map((width) => ({ locale, theme, width }))),
);

describe("OPS-9 OPS-10 every screen in both languages, light and dark, on a phone and on a desk", () => {
  test.each(looks)("$locale, $theme, $width px: no policy violation, accessible, no sideways scroll", async (look) => {
    const name = `${look.locale}-${look.theme}-${look.width}`;
    const stranger = await openScreen(browser, local.url, look);
    await stranger.open("/login");
    await inspect(stranger.page, `login-${name}`);
    await stranger.done();

    const owner = await enter("owner", look);
    for (const [place, path] of Object.entries(places)) {
      await owner.open(path);
      await inspect(owner.page, `${place}-${name}`);
    }
    await owner.done();

    const admin = await enter("admin", look);
    for (const path of ["/admin/tools", "/admin/users"]) {
      await admin.open(path);
      await inspect(admin.page, `${path.slice(1).replace("/", "-")}-${name}`);
    }
    await admin.done();
  });

  const inspect = async (page: Parameters<typeof settled>[0], where: string): Promise<void> => {
    await settled(page);
    await expectAccessible(page, where);
    await expectNoSidewaysScroll(page, where);
    const { lang, theme } = await page
      .locator("html")
      .evaluate((html) => ({ lang: html.getAttribute("lang"), theme: html.getAttribute("data-theme") }));
    expect(`${lang}-${theme}`, where).toBe(/(de|en)-(light|dark)/.exec(where)?.[0]);
    await picture(page, where);
  };
});

describe("APR-15 on a phone", () => {
  const phone = { width: PHONE, height: 780 } as const;

  test("a chat is followed, its request read and approved with the thumb, another rejected with a reason", async () => {
    const member = await enter("member", phone);
    await do_.startChat(member, workspaceId);
    await do_.say(member.page, change("Everything the invoice shows", "All the invoice shows", "src/total.ts"));
    const see = do_.link(do_.waiting(member.page), "See the request");
    await see.waitFor({ timeout: 30_000 });
    const requestId = (await see.getAttribute("href"))?.split("/").at(-1) ?? "";
    await picture(member.page, "phone-chat-waiting");

    const approver = await enter("approver", phone);
    await do_
      .link(approver.page, /Approvals/)
      .first()
      .tap();
    await approver.page.locator(`[data-approval="${requestId}"]`).tap();
    await approver.page.getByRole("region", { name: "Decision" }).waitFor();
    expect(await do_.shownDiff(approver.page)).toContain("+/** All the invoice shows, in cents. */");
    await do_.button(approver.page, "Approve and execute").and(approver.page.locator('[aria-disabled="false"]')).tap();
    await do_.button(approver.page, "Execute now").and(approver.page.locator('[aria-disabled="false"]')).tap();
    await approver.page.getByRole("heading", { name: "Executed", exact: true }).waitFor({ timeout: 30_000 });
    await expectNoSidewaysScroll(approver.page, "an executed request on a phone");
    await picture(approver.page, "phone-request-executed");
    await do_.answer(member.page, 1);
    await do_.toolCard(member.page, "git.propose_change").getByText("Executed").waitFor();

    await do_.say(member.page, change("MAX_BODY = 64", "MAX_BODY = 32", "src/server.ts"));
    const again = do_.link(do_.waiting(member.page), "See the request");
    await again.waitFor({ timeout: 30_000 });
    await approver.open((await again.getAttribute("href")) ?? "");
    await do_.button(approver.page, "Reject").and(approver.page.locator('[aria-disabled="false"]')).tap();
    await approver.page.getByLabel(/^Reason/).fill("Large orders need it.");
    await picture(approver.page, "phone-request-rejecting");
    await expectAccessible(approver.page, "a rejection on a phone");
    await do_.button(approver.page, "Reject").tap();
    await approver.page.getByRole("heading", { name: "Rejected by Approver" }).waitFor();
    expect(await do_.answer(member.page, 2)).toContain("Large orders need it.");
    await approver.done();
    await member.done();
  });
});

test("OPS-9 the language is switched on the page, without a reload, and kept", async () => {
  const screen = await openScreen(browser, local.url, { locale: "de" });
  await screen.open("/login");
  await screen.page.getByRole("heading", { name: "Anmelden" }).waitFor();
  await do_.button(screen.page, "English").click();
  await screen.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await screen.signIn("member", local.stack.demoPassword);
  await screen.open("/me");
  await screen.page.getByRole("heading", { name: "My account" }).waitFor();
  await do_.button(screen.page, "Deutsch").first().click();
  await screen.page.getByRole("heading", { name: "Mein Konto" }).waitFor();
  await do_.reload(screen.page);
  await screen.page.getByRole("heading", { name: "Mein Konto" }).waitFor();
  expect(await screen.page.locator("html").getAttribute("lang")).toBe("de");
  await screen.done();
});
