import { mkdirSync } from "node:fs";
import chromium from "@sparticuz/chromium";
import axe from "axe-core";
import { chromium as playwright, type Browser, type BrowserContext, type Page } from "playwright-core";
import { expect, onTestFailed } from "vitest";

const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// What runs in the page is text: it belongs to another world than the test.
const WATCH_POLICY = `document.addEventListener("securitypolicyviolation", (event) =>
  reportPolicyViolation(event.violatedDirective + " " + event.blockedURI + " " + event.sample))`;
/** Colours on their way from one to the other are judged when they have arrived. */
const ANIMATIONS_END = `Promise.all(document.getAnimations()
  .filter((each) => each.effect?.getComputedTiming().iterations !== Infinity)
  .map((each) => each.finished.catch(() => undefined))).then(() => undefined)`;
const WIDER_THAN_WINDOW = `(() => {
  const limit = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= limit) return [];
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > limit + 1)
    .slice(0, 3)
    .map((element) => element.outerHTML.slice(0, 160));
})()`;

/** A browser of its own; CHROMIUM_PATH names another one than the one that is installed with the tests. */
export const openBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? (await chromium.executablePath()),
    args: [
      "--no-sandbox",
      "--no-zygote",
      "--disable-gpu",
      "--headless=shell",
      "--disable-background-networking",
      "--disable-component-update",
    ],
  });

export interface ScreenOptions {
  readonly locale?: "de" | "en";
  readonly theme?: "light" | "dark";
  /** Width of the window in CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Other origins that the page may reach, such as that of object storage. */
  readonly origins?: readonly string[];
}

let failures = 0;

/** One window of one person. Whatever goes wrong in it is collected and fails the test in `done`. */
export interface Screen {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Answers that the test provokes: they are no fault. */
  expectAnswer(status: number, path: RegExp): void;
  /** Opens an address of the product and waits until its data is there. */
  open(path: string): Promise<void>;
  /** Signs in by the form, as a person does. */
  signIn(name: string, password: string): Promise<void>;
  /** Nothing went wrong so far: no content policy violation, script error, unexpected answer or request to elsewhere. */
  clean(): void;
  /** `clean`, and closes the window. */
  done(): Promise<void>;
}

export const openScreen = async (browser: Browser, base: string, options: ScreenOptions = {}): Promise<Screen> => {
  const context = await browser.newContext({
    baseURL: base,
    locale: options.locale === "de" ? "de-DE" : "en-GB",
    timezoneId: "Europe/Berlin",
    colorScheme: options.theme ?? "light",
    viewport: { width: options.width ?? 1360, height: options.height ?? 900 },
    // A phone has a finger and a smaller window, and says so.
    ...((options.width ?? 1360) < 600 ? { isMobile: true, hasTouch: true } : {}),
  });
  const faults: string[] = [];
  const allowed = new Set(options.origins ?? []);
  const expected: { readonly status: number; readonly path: RegExp }[] = [{ status: 401, path: /^\/api\/me$/ }];
  await context.exposeFunction("reportPolicyViolation", (text: string) => void faults.push(`content policy: ${text}`));
  await context.addInitScript({ content: WATCH_POLICY });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (error) => void faults.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    // Failed requests are judged by their status below.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (["http:", "https:", "ws:", "wss:"].includes(url.protocol) && url.origin !== base && !allowed.has(url.origin))
      faults.push(`request to ${url.origin}`);
  });
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    const status = response.status();
    if (status >= 400 && !expected.some((each) => each.status === status && each.path.test(pathname))) {
      faults.push(`${response.request().method()} ${pathname} answered ${status}`);
    }
  });
  const clean = (): void => expect(faults).toEqual([]);
  // What the person saw when it went wrong.
  onTestFailed(async () => {
    if (page.isClosed()) return;
    await picture(page, `failed-${++failures}`).catch(() => undefined);
    const text = await page
      .locator("body")
      .innerText()
      .catch(() => "");
    console.log(`window at ${page.url()}\n${faults.join("\n")}\n${text.slice(0, 2_000)}`);
  });
  return {
    page,
    context,
    expectAnswer: (status, path) => void expected.push({ status, path }),
    open: async (path) => {
      await page.goto(path);
      await settled(page);
    },
    signIn: async (name, password) => {
      await page.goto("/login");
      await page.locator('input[name="username"]').fill(name);
      await page.locator('input[name="password"]').fill(password);
      await page.locator('form button[type="submit"]').click();
      await page.waitForURL((url) => !url.pathname.startsWith("/login"));
      await settled(page);
    },
    clean,
    done: async () => {
      await context.close();
      clean();
    },
  };
};

/** The page has a heading and no placeholder of something that still loads. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator("h1:visible").first().waitFor();
  await expect
    .poll(() => page.locator('main [role="status"] > .sr-only:first-child').count(), { timeout: 10_000 })
    .toBe(0);
};

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const AXE_OPTIONS = { runOnly: { type: "tag", values: AXE_TAGS }, preload: false, resultTypes: ["violations"] };
/** Moves whatever scrolls by less than a row, so that other controls than before lie half under a bar that stays in place. */
const SCROLL_A_LITTLE = `for (const each of [document.scrollingElement, ...document.querySelectorAll("main, main *")]) {
  if (each !== null && each.scrollHeight > each.clientHeight + 40 && getComputedStyle(each).overflowY !== "visible") each.scrollTop += each.scrollTop > 40 ? -36 : 36;
}
document.scrollingElement.scrollTop += 36;`;

const violationsOf = async (page: Page): Promise<readonly string[]> => {
  const result: AxeResult = await page.evaluate(`axe.run(document, ${JSON.stringify(AXE_OPTIONS)})`);
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 300)}`),
  );
};

/**
 * No violation of WCAG 2.2 A and AA, nor of axe's good practice (OPS-10). The checker is put in past the content policy.
 * A control that a bar covers by half at one scroll position is not a small control: only what is too small at another
 * position too counts (WCAG 2.5.8 asks for the size of the target).
 */
export const expectAccessible = async (page: Page, where: string): Promise<void> => {
  await page.evaluate(axe.source);
  await page.evaluate(ANIMATIONS_END);
  const first = await violationsOf(page);
  if (first.length === 0) return;
  const covered = first.filter((each) => each.startsWith("target-size:"));
  if (covered.length > 0) await page.evaluate(SCROLL_A_LITTLE);
  const second = covered.length > 0 ? await violationsOf(page) : [];
  const found = first.filter((each) => !covered.includes(each) || second.includes(each));
  expect(found, `axe on ${where}\n${found.join("\n")}`).toEqual([]);
};

/** The page itself never scrolls sideways; only what says so does (OPS-10, WCAG 1.4.10). */
export const expectNoSidewaysScroll = async (page: Page, where: string): Promise<void> => {
  const wide = await page.evaluate<readonly string[]>(WIDER_THAN_WINDOW);
  expect(wide, `wider than the window on ${where}`).toEqual([]);
};

/** Pictures for people to look at, where AIW_SCREENSHOTS names a folder. */
export const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["AIW_SCREENSHOTS"];
  if (folder === undefined || folder === "") return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};
