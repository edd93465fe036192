import { keptContexts } from '@relata/testing';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A browser context for one page. */
export interface LentContext {
  context: BrowserContext;
  /** Closes the tabs and deletes their stored data, after which another page may get the context. */
  giveBack(): Promise<void>;
}

interface Kept {
  context: BrowserContext;
  /** An empty tab. While it is open, the context keeps its process with the compiled scripts. */
  keeper: Page;
}

const idle = new WeakMap<Browser, Map<string, Kept[]>>();

/** Default options of a page. */
const usual: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' };

/**
 * Returns a context without cookies and storage. Earlier pages, also of other test files, may have used it. A new
 * context would cost two seconds of CPU time, because it fetches and compiles the scripts again.
 */
export async function borrowContext(
  browser: Browser,
  siteUrl: string,
  given: BrowserContextOptions,
): Promise<LentContext> {
  const options = { ...usual, ...given };
  const kept = idleAt(browser, `${siteUrl} ${JSON.stringify(options)}`);
  const lent = kept.pop() ?? (await open(browser, siteUrl, options));
  keptContexts.delete(lent.context);
  return {
    context: lent.context,
    giveBack: async () => {
      await empty(lent, siteUrl);
      keptContexts.add(lent.context);
      kept.push(lent);
    },
  };
}

/** Returns a new context without any data of the console or of earlier pages. */
export async function openContext(browser: Browser, given: BrowserContextOptions): Promise<LentContext> {
  const context = await newContext(browser, { ...usual, ...given });
  return { context, giveBack: () => context.close() };
}

async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  // No passing test waits this long, even on a busy machine.
  context.setDefaultTimeout(60_000);
  return context;
}

function idleAt(browser: Browser, key: string): Kept[] {
  const ofBrowser = idle.get(browser) ?? new Map<string, Kept[]>();
  idle.set(browser, ofBrowser);
  const kept = ofBrowser.get(key) ?? [];
  ofBrowser.set(key, kept);
  return kept;
}

async function open(browser: Browser, siteUrl: string, options: BrowserContextOptions): Promise<Kept> {
  const context = await newContext(browser, options);
  const keeper = await context.newPage();
  await keeper.goto(`${siteUrl}/console/assets/none`);
  return { context, keeper };
}

async function empty({ context, keeper }: Kept, siteUrl: string): Promise<void> {
  const tabs = context.pages().filter((page) => page !== keeper);
  await Promise.all(tabs.map((page) => page.close()));
  await context.clearCookies();
  const session = await context.newCDPSession(keeper);
  await session.send('Storage.clearDataForOrigin', { origin: siteUrl, storageTypes: 'all' });
  await session.detach();
}
