import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openBrowser,
  openScreen,
  picture,
  type Screen,
  type ScreenOptions,
} from "../kit/browser.ts";
import * as do_ from "../kit/pages.ts";
import { startLocal, type LocalStack } from "../kit/stack.ts";
import { prepare, type Shown } from "./shown-records.ts";

let local: LocalStack;
let browser: Browser;
let shown: Shown;

beforeAll(async () => {
  [local, browser] = await Promise.all([startLocal({ web: true }), openBrowser()]);
  shown = await prepare(local);
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
});

/** Two languages, two themes, two widths: any two choices meet in one of these windows. */
const CORNERS = [
  { locale: "de", theme: "light", width: 1360 },
  { locale: "en", theme: "dark", width: 1360 },
  { locale: "de", theme: "dark", width: 390 },
  { locale: "en", theme: "light", width: 390 },
] as const;
type Corner = (typeof CORNERS)[number];

test.each(CORNERS)(
  "OPS-9 OPS-10 SEC-3 every screen is accessible, fits its window and keeps the content policy: $locale $theme $width",
  async (corner) => {
    const screen = await openScreen(browser, local.url, corner);
    const { page } = screen;
    const html = page.locator("html");
    screen.expectAnswer(404, /^\/api\/(runs|approvals)\//);
    screen.expectAnswer(401, /^\/api\/login$/);

    await screen.open("/login");
    expect(await html.getAttribute("lang")).toBe(corner.locale);
    expect(await html.getAttribute("data-theme")).toBe(corner.theme);
    await look(screen, corner, "login");
    await page.locator('input[name="username"]').fill("owner");
    await page.locator('input[name="password"]').fill("not the password");
    await page.locator('form button[type="submit"]').click();
    await page.getByRole("alert").first().waitFor();
    await look(screen, corner, "login-refused");

    await screen.signIn("owner", local.stack.demoPassword);
    await walk(screen, corner, owned(shown));
    await screen.context.clearCookies();
    await page.goto("about:blank");
    await screen.signIn("admin", local.stack.demoPassword);
    await walk(screen, corner, ADMINISTERED);
    await screen.done();
  },
);

/** Says all that is wrong on any of these screens at once. */
const walk = async (screen: Screen, corner: Corner, views: readonly View[]): Promise<void> => {
  const wrong: string[] = [];
  for (const [name, path, prepareView] of views) {
    try {
      await screen.open(path);
      await prepareView?.(screen.page);
      await look(screen, corner, name);
    } catch (error) {
      wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(wrong).toEqual([]);
};

/** What has to hold on any screen; then its picture. */
const look = async ({ page, clean }: Screen, corner: Corner, name: string): Promise<void> => {
  const where = `${name}-${corner.locale}-${corner.theme}-${corner.width}`;
  await expectAccessible(page, where);
  await picture(page, where);
  await expectNoSidewaysScroll(page, where);
  clean();
};

type View = readonly [name: string, path: string, prepare?: (page: Page) => Promise<void>];

const owned = (s: Shown): readonly View[] => {
  const ws = `/w/${s.workspaceId}`;
  return [
    ["workspaces", "/workspaces"],
    ["workspaces-create", "/workspaces", createDialog],
    ["overview", ws],
    ["overview-new", `/w/${s.newWorkspaceId}`],
    ["chats", `${ws}/chats`],
    ["chats-locked", `/w/${s.newWorkspaceId}/chats`],
    ["chat-new", `${ws}/chats/${s.emptyChatId}`],
    ["chat-cards", `${ws}/chats/${s.executed.chatId}`, openCard],
    ["chat-waiting", `${ws}/chats/${s.pending.chatId}`, (page) => page.getByTestId("waiting").waitFor()],
    ["chat-blocked", `${ws}/chats/${s.blockedChatId}`],
    ["runs", `${ws}/runs`],
    ["runs-waiting", `${ws}/runs?group=waiting`],
    ["run-steps", `${ws}/runs/${s.executed.runId}`],
    ["run-timeline", `${ws}/runs/${s.executed.runId}?view=timeline`],
    ["run-events", `${ws}/runs/${s.executed.runId}?view=json`],
    ["run-waiting", `${ws}/runs/${s.pending.runId}`],
    ["run-blocked", `${ws}/runs/${s.blockedRunId}`],
    ["run-unknown-id", `${ws}/runs/${s.workspaceId}`],
    ["inbox", "/approvals"],
    ["inbox-done", "/approvals?filter=done"],
    ["inbox-mine", "/approvals?filter=mine"],
    ["inbox-of-workspace", `${ws}/approvals`],
    ["request-pending", `/approvals/${s.pending.requestId}`, decisionShown],
    ["request-large", `/approvals/${s.large.requestId}`, decisionShown],
    ["request-approve", `/approvals/${s.pending.requestId}`, (page) => press(page, "a")],
    ["request-reject", `/approvals/${s.pending.requestId}`, (page) => press(page, "r")],
    ["request-executed", `${ws}/approvals/${s.executed.requestId}`],
    ["request-rejected", `/approvals/${s.rejected.requestId}`],
    ["request-expired", `/approvals/${s.expired.requestId}`],
    ["request-unknown-id", `/approvals/${s.workspaceId}`],
    ["sources", `${ws}/sources`],
    ["source", `${ws}/sources/${s.sourceId}`],
    ["wizard", `${ws}/sources/new`],
    ["wizard-consent", `${ws}/sources/new`, toConsent],
    ["settings", `${ws}/settings`],
    ["settings-members", `${ws}/settings?tab=members`],
    ["settings-rules", `${ws}/settings?tab=rules`],
    ["settings-tools", `${ws}/settings?tab=tools`],
    ["settings-model", `${ws}/settings?tab=model`],
    ["me", "/me"],
    ["password", "/password"],
    ["shortcuts", "/me", (page) => press(page, "?")],
    ["nothing-here", "/no/such/page"],
  ];
};

const ADMINISTERED: readonly View[] = [
  ["admin-workspaces", "/workspaces"],
  ["admin-tools", "/admin/tools"],
  ["admin-policies", "/admin/policies"],
  ["admin-models", "/admin/models"],
  ["admin-model-add", "/admin/models", (page) => dialogOf(page, /^(Add a model|Modell hinzufügen)$/)],
  ["admin-gateways", "/admin/models?tab=gateways"],
  ["admin-gateway-add", "/admin/models?tab=gateways", (page) => dialogOf(page, /^(Add a gateway|Gateway hinzufügen)$/)],
  ["admin-gateway-key", "/admin/models?tab=gateways", (page) => dialogOf(page, /(Shared key|Gemeinsamer Schlüssel)$/)],
  ["admin-guardrails", "/admin/models?tab=guardrails"],
  ["admin-guardrail-add", "/admin/models?tab=guardrails", (page) => dialogOf(page, /^(Add a line|Zeile hinzufügen)$/)],
  ["admin-mcp", "/admin/mcp"],
  ["admin-limits", "/admin/limits"],
  ["admin-dead-letters", "/admin/dead-letters"],
  ["admin-users", "/admin/users"],
  ["admin-team-limit", "/admin/users", (page) => dialogOf(page, /^(Change limit:|Grenze ändern:)/)],
];

const createDialog = async (page: Page): Promise<void> => {
  await page
    .getByRole("button", { name: /^(Create workspace|Workspace anlegen)$/ })
    .first()
    .click();
  await page.getByRole("dialog").waitFor();
};
const dialogOf = async (page: Page, name: RegExp): Promise<void> => {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").waitFor();
};
const openCard = (page: Page): Promise<void> =>
  page
    .getByRole("article", { name: /git\.propose_change/ })
    .getByRole("button")
    .first()
    .click();
const decisionShown = (page: Page): Promise<void> =>
  page.getByRole("region", { name: /^(Decision|Entscheidung)$/ }).waitFor();
const press = async (page: Page, key: "a" | "r" | "?"): Promise<void> => {
  if (key !== "?") await decisionShown(page);
  const before = await page.evaluate<number>("scrollY");
  await page.locator("body").press(key);
  const appears = { a: 'button:focus[aria-disabled="false"]', r: "textarea:focus", "?": '[role="dialog"]' } as const;
  await page.locator(appears[key]).waitFor();
  // What is decided about stays where the reader looks at it.
  if (key === "r") await page.keyboard.type("Because");
  expect(await page.evaluate<number>("scrollY")).toBe(before);
};
const toConsent = async (page: Page): Promise<void> => {
  const next = page.getByRole("button", { name: /^(Next|Weiter)$/ });
  await page.locator('input[type="url"]').fill("https://git.example/payments/a-repository-with-quite-a-long-name.git");
  await page.locator('input[type="url"]').press("Tab");
  await next.click();
  await page.locator('input[name="source-token"]').fill("a-token-of-some-length");
  await next.click();
  await page.getByRole("checkbox").waitFor();
};

const change = (find: string, replace: string, path: string): string =>
  `ersetze \`${find}\` durch \`${replace}\` in ${path}`;

const enter = async (name: string, options: ScreenOptions): Promise<Screen> => {
  const screen = await openScreen(browser, local.url, options);
  await screen.signIn(name, local.stack.demoPassword);
  return screen;
};

describe("APR-15 on a phone", () => {
  const phone = { width: 390, height: 780 } as const;

  test("a chat is followed, its request read and approved with the thumb, another rejected with a reason", async () => {
    const member = await enter("member", phone);
    await do_.startChat(member, shown.workspaceId);
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
