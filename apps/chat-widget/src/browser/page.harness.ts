import { until } from '@relata/testing';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestSite } from './site.harness.ts';

export const phone: BrowserContextOptions = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

export interface PageOptions extends BrowserContextOptions {
  attributes?: string;
  load?: string;
  /** URL of the script. By default it is on the same origin as the page. */
  script?: string;
  dir?: string;
  /** Function that runs in the page before any other script. */
  before?: () => void;
}

/**
 * A visitor's tab. Disposing it throws if the page had an error, opened a dialog or violated its content security
 * policy.
 */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  readonly input: Locator;
  readonly answers: Locator;
  ask(question: string): Promise<void>;
  /** Clicks the launcher, which opens the panel. */
  open(): Promise<void>;
}

const inline = 'mode="inline"';

/**
 * Opens a page with the widget. Pages without special options share a tab, which is cleared between them, because a
 * separate context takes half a second.
 */
export async function openPage(browser: Browser, site: TestSite, options: PageOptions = {}): Promise<TestPage> {
  const {
    attributes = inline,
    load = 'async',
    dir = 'ltr',
    script = '/v1/genie/widget.js',
    before,
    ...context
  } = options;
  const isShared = before === undefined && Object.keys(context).length === 0;
  const { page, faults } = await (isShared ? sharedTab(browser) : openTab(browser, context, before));
  await page.goto(`${site.url}/?${new URLSearchParams({ attributes, load, dir, script })}`);
  const input = page.getByLabel('Your question');
  return {
    page,
    input,
    answers: page.locator('.answer .markdown'),
    ask: async (question) => {
      await input.fill(question);
      await input.press('Enter');
    },
    open: () => page.locator('.launcher').click(),
    [Symbol.asyncDispose]: async () => {
      await (isShared ? emptyTab(page, site) : page.context().close());
      expect(faults.splice(0)).toEqual([]);
    },
  };
}

interface Tab {
  page: Page;
  /** Errors of the page, violations of its content security policy, and dialogs. */
  faults: string[];
}

const tabs = new WeakMap<Browser, Promise<Tab>>();

/** Returns the tab that pages share. It is closed at the end of a test file; the browser stays open. */
async function sharedTab(browser: Browser): Promise<Tab> {
  const found = await tabs.get(browser);
  if (found && !found.page.isClosed()) return found;
  const tab = openTab(browser, {});
  tabs.set(browser, tab);
  return tab;
}

async function openTab(browser: Browser, options: BrowserContextOptions, before?: () => void): Promise<Tab> {
  const viewport = { width: 800, height: 700 };
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  return { page, faults: watchFaults(page) };
}

async function emptyTab(page: Page, site: TestSite): Promise<void> {
  await page.context().setOffline(false);
  // Leaves the page first, because the widget would store the rest of an answer after the clearing.
  await page.goto(`${site.url}/empty`);
  await page.evaluate(() => sessionStorage.clear());
  await page.context().clearCookies();
}

function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // The console reports a refused request as an error, but some tests cause refusals on purpose.
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return faults;
}

/**
 * Waits until an element has this text, ignoring repeated spaces. The browser waits, which costs less than polling the
 * element.
 */
export async function expectText(locator: Locator, text: string | RegExp): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor();
}

/** Waits until an element has the focus. */
export async function expectFocus(locator: Locator): Promise<void> {
  await until(async () => expect(await locator.evaluate((element) => element.matches(':focus'))).toBe(true));
}

/** Returns the label or id of the element with the focus, also within the widget; '' if it has neither. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const outer = document.activeElement;
    const inner = outer?.shadowRoot?.activeElement ?? outer;
    return inner?.getAttribute('aria-label') ?? inner?.id ?? '';
  });
}
