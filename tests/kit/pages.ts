import type { Locator, Page } from "playwright-core";
import { settled, type Screen } from "./browser.ts";

/** What people do on the pages, in English, by the names that a screen reader says. */

export const button = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole("button", { name });
export const link = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole("link", { name });

/** Creates a workspace in the dialog; its id. */
export const createWorkspace = async ({ page, open }: Screen, name: string): Promise<string> => {
  await open("/workspaces");
  await button(page, "Create workspace").first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await button(dialog, "Create workspace").click();
  await page.waitForURL(/\/w\/[0-9a-f-]{36}$/);
  await page.getByRole("heading", { level: 1, name }).waitFor();
  return new URL(page.url()).pathname.slice(3);
};

export interface Connection {
  readonly url: string;
  readonly token?: string;
  readonly name?: string;
}

/** Walks through the wizard up to the end of the connection test; the page then shows its stages. */
export const connectSource = async (screen: Screen, workspaceId: string, connection: Connection): Promise<void> => {
  const { page } = screen;
  await screen.open(`/w/${workspaceId}/sources/new`);
  await page.getByLabel("Address of the repository").fill(connection.url);
  // Leaving the address proposes a name.
  await page.getByLabel("Address of the repository").press("Tab");
  await page.getByRole("textbox", { name: /^Name/ }).fill(connection.name ?? "orders");
  await button(page, "Next").click();
  if (connection.token !== undefined) await page.getByLabel("Access token (optional)").fill(connection.token);
  await button(page, "Next").click();
  await page.getByLabel(/^I confirm that all members/).check();
  await button(page, "Connect and test").click();
};

/** The line of one stage of a connection test. */
export const stage = (page: Page, name: string): Locator => page.getByRole("listitem").filter({ hasText: name });

/** Starts a chat on the page of chats. */
export const startChat = async (screen: Screen, workspaceId: string): Promise<string> => {
  await screen.open(`/w/${workspaceId}/chats`);
  await button(screen.page, "New chat").first().click();
  await screen.page.waitForURL(/\/chats\/[0-9a-f-]{36}$/);
  await composer(screen.page).waitFor();
  return new URL(screen.page.url()).pathname.split("/").at(-1) ?? "";
};

export const composer = (page: Page): Locator =>
  page.getByRole("textbox", { name: /^(Message to the AI|Nachricht an die KI)$/ });

export const say = async (page: Page, text: string): Promise<void> => {
  await composer(page).fill(text);
  await composer(page).press("Enter");
};

export const answers = (page: Page): Locator =>
  page.getByRole("article", { name: /^(Answer of the AI|Antwort der KI)$/ });

/** The newest answer, once there are this many. */
export const answer = async (page: Page, count: number): Promise<string> => {
  const found = answers(page).nth(count - 1);
  await found.waitFor({ timeout: 30_000 });
  return found.innerText();
};

export const toolCard = (page: Page, tool: string): Locator =>
  page.getByRole("article", { name: new RegExp(`^(Tool call|Tool-Aufruf) ${tool.replace(".", "\\.")}$`) });

export const waiting = (page: Page): Locator => page.getByTestId("waiting");

/** Opens the page of a request and waits for its diff. */
export const openRequest = async (screen: Screen, requestId: string): Promise<void> => {
  await screen.open(`/approvals/${requestId}`);
  await page(screen).getByRole("region", { name: "Decision" }).waitFor();
};
const page = (screen: Screen): Page => screen.page;

/** The signs and texts of the diff that is shown, in order, as `git diff` would write them. */
export const shownDiff = async (on: Page): Promise<readonly string[]> => {
  const rows = await on
    .locator("table tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")));
  return rows.flatMap((cells) => {
    const [, , sign = "", text = ""] = cells;
    if (cells.length < 4) return [];
    const kind = sign.startsWith("+") ? "+" : sign.startsWith("−") ? "-" : " ";
    return [`${kind}${text}`];
  });
};

/** Approves with the keyboard alone: `a` leads to the confirmation, Enter presses it. */
export const approveByKeys = async (on: Page): Promise<void> => {
  await on.locator("body").press("a");
  const confirm = button(on, "Execute now");
  await confirm.waitFor();
  // What just appeared takes no key in its first moments.
  await on.locator('button:focus[aria-disabled="false"]').waitFor();
  await on.keyboard.press("Enter");
};

/** Rejects with a reason, with the keyboard alone. */
export const rejectByKeys = async (on: Page, reason: string): Promise<void> => {
  await on.locator("body").press("r");
  await on.locator("textarea:focus").waitFor();
  await on.keyboard.type(reason);
  await on.keyboard.press("Control+Enter");
};

export const reload = async (on: Page): Promise<void> => {
  await on.reload();
  await settled(on);
};
