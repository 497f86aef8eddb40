import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBucket } from "@aiw/platform/bucket";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, expectNoSidewaysScroll, openBrowser, openScreen, picture } from "../kit/browser.ts";
import * as do_ from "../kit/pages.ts";
import { type LocalStack, startLocal, until } from "../kit/stack.ts";

let local: LocalStack;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "aiw-files-"));
beforeAll(async () => {
  [local, browser] = await Promise.all([startLocal({ web: true }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await local?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test("UPL-1 UPL-2 UPL-3 an admin connects uploads; a member uploads, sees what was read, asks, downloads and deletes", async () => {
  const admin = await openScreen(browser, local.url, { locale: "en", theme: "light" });
  await admin.signIn("owner", local.stack.demoPassword);
  const workspaceId = await do_.createWorkspace(admin, "Numbers");
  await admin.open(`/w/${workspaceId}/sources/new`);
  await admin.page.getByLabel(/^Uploads/).check();
  await do_.button(admin.page, "Connect and test").click();
  await admin.page.getByText("Without this confirmation").waitFor();
  await admin.page.getByLabel(/^I confirm that all members/).check();
  await expectAccessible(admin.page, "connecting uploads");
  await do_.button(admin.page, "Connect and test").click();
  await admin.page.getByText("The source is connected and tested.").waitFor();
  await do_.link(admin.page, "Upload files").click();
  await admin.page.getByText("No file uploaded yet").waitFor();
  const sourcePath = new URL(admin.page.url()).pathname;
  const [person] = await local.admin.sql`select id from users where name = 'member'`;
  await local.admin
    .sql`insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${String(person?.["id"])}, 'member')`;

  const storage = new URL(local.stack.environment["AWS_ENDPOINT_URL"] ?? "").origin;
  const screen = await openScreen(browser, local.url, { locale: "de", theme: "dark", width: 390, origins: [storage] });
  // A file that is none of ours.
  screen.expectAnswer(400, /\/uploads$/);
  await screen.signIn("member", local.stack.demoPassword);
  await screen.open(sourcePath);
  const { page } = screen;
  const sales = file(
    "Umsätze.csv",
    "\ufeffRegion;Betrag;PLZ\r\nNord;1.234,50;01067\r\nSüd;10,00;80331\r\n=1+1;-5,25;10115\r\n",
  );
  const torn = file("kaputt.csv", "a,b\n1,2\n3\n");
  await page.getByLabel("Dateien auswählen").setInputFiles([sales, torn, file("Liste.xlsx", "no")]);
  const list = page.getByRole("list", { name: "Hochgeladene Dateien" });
  await list.getByText("Bereit").waitFor();
  await list.getByText("Zeile 3 hat 1 Spalten, die erste hat 2.").waitFor();
  await page.getByText(/Hochladen lassen sich CSV-, TSV- und Parquet-Dateien/).waitFor();
  await do_.button(page, "Ausblenden").click();
  const row = list.getByRole("listitem").filter({ hasText: "Umsätze.csv" });
  await row.getByRole("button", { name: "Spalten zeigen" }).click();
  await row.getByText("DECIMAL(18,2)").waitFor();
  await row.getByText(/führende Nullen/).waitFor();
  await expectAccessible(page, "uploads");
  await expectNoSidewaysScroll(page, "uploads");
  await picture(page, "uploads-de-dark-390");
  await do_.button(list.getByRole("listitem").filter({ hasText: "kaputt.csv" }), /löschen/).click();
  await page.getByRole("dialog").getByRole("button", { name: "Endgültig löschen" }).click();
  await list.getByText("kaputt.csv").waitFor({ state: "detached" });

  await admin.open(`/w/${workspaceId}/chats`);
  await do_.startChat(admin, workspaceId);
  await do_
    .composer(admin.page)
    .fill("query `select Region, Betrag * 2 as doppelt from umsaetze order by Betrag desc`");
  await do_.composer(admin.page).press("Enter");
  const result = admin.page.getByRole("region", { name: "Result of the query" });
  await result.getByRole("cell", { name: "2469.00" }).waitFor();
  expect(await result.getByRole("columnheader").allInnerTexts()).toEqual(["Region", "doppelt"]);
  await admin.page.getByText("*Demo model").or(admin.page.getByText("Demo model, no AI")).first().waitFor();
  await expectAccessible(admin.page, "a query result");
  await picture(admin.page, "query-result-en-light-1360");
  const downloading = admin.page.waitForEvent("download");
  await do_.button(admin.page, "Download as CSV").click();
  const saved = await (await downloading).path();
  expect(await readFile(saved, "utf8")).toBe("\ufeffRegion,doppelt\r\nNord,2469.00\r\nSüd,20.00\r\n'=1+1,-10.50\r\n");

  const { environment } = local.stack;
  const bucket = createBucket({
    region: "eu-central-1",
    bucket: environment["AIW_BUCKET"] ?? "",
    endpoint: environment["AWS_ENDPOINT_URL"] ?? "",
  });
  const stored = async (): Promise<number> => (await bucket.list(`uploads/${workspaceId}/`)).length;
  expect(await stored()).toBe(1);
  await row.getByRole("button", { name: /löschen/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Endgültig löschen" }).click();
  await page.getByText("Noch keine Datei hochgeladen").waitFor();
  await until("the objects are gone", async () => ((await stored()) === 0 ? true : undefined));
  bucket.close();
  await admin.done();
  await screen.done();
});
