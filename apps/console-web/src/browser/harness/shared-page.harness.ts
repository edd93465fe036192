import type { Browser, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { lastOrgName } from '../../shell/last-org.ts';
import { type WebConsole, type TestPage, openPage, type PageOptions } from './console.harness.ts';
import { wide } from './sound.harness.ts';

/** Options of a page that shares its tab. A change of any option except the window size opens a new tab. */
type SharedPageOptions = Omit<PageOptions, 'isFresh'>;

/**
 * Lets the tests of a file share a tab. `open` then navigates within the console, which takes a tenth of the CPU time
 * of a page load. Use it for tests that need neither a page load nor an empty browser. Only one page can be open at a
 * time: a second one, or one with other options such as another cookie, closes the tab and opens a new one.
 */
export function sharePages(browser: () => Browser, webConsole: () => WebConsole) {
  let kept: SharedTab | undefined;
  const close = async () => {
    const closing = kept;
    kept = undefined;
    await closing?.close();
  };
  afterAll(close);
  return async ({ viewport = wide, ...options }: SharedPageOptions = {}): Promise<TestPage> => {
    const key = JSON.stringify(options);
    // A test that timed out has not returned its tab, so `isLent` is still true.
    if (kept?.key !== key || kept.isLent) {
      await close();
      kept = new SharedTab(key, await openPage(browser(), webConsole(), options));
    }
    if (viewport) await kept.tab.page.setViewportSize(viewport);
    return kept.lend();
  };
}

class SharedTab {
  readonly key: string;
  readonly tab: TestPage;
  /** Tabs that were open before the test. */
  readonly #tabs: readonly Page[];
  isLent = false;
  /** True if the tab is in the same state as after loading a page of the console. */
  #isClean = false;

  constructor(key: string, tab: TestPage) {
    this.key = key;
    this.tab = tab;
    this.#tabs = tab.page.context().pages();
  }

  lend(): TestPage {
    this.isLent = true;
    this.tab.requests.length = 0;
    return { ...this.tab, open: (path) => this.#open(path), [Symbol.asyncDispose]: () => this.#giveBack() };
  }

  async close(): Promise<void> {
    await this.tab[Symbol.asyncDispose]();
  }

  async #open(path: string): Promise<void> {
    const { page, go, open } = this.tab;
    if (!this.#isClean) return open(path);
    this.#isClean = false;
    // Goes to another page first, because a page keeps its state if only its search parameters change.
    await go('/nowhere');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await go(path);
  }

  async #giveBack(): Promise<void> {
    const { page, expectNoFaults } = this.tab;
    this.isLent = false;
    const opened = page.context().pages();
    await Promise.all(opened.filter((tab) => !this.#tabs.includes(tab)).map((tab) => tab.close()));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.emulateMedia({ colorScheme: 'light' });
    const isOfConsole = /\/console\/o\/[^/]+/.test(page.url());
    this.#isClean = isOfConsole && (await page.evaluate(leaveNothing, lastOrgName));
    expectNoFaults();
  }
}

/**
 * Runs in the page, and deletes its stored settings. Returns false if the next test would still be affected by a
 * setting, a dialog, a notice or unsaved input.
 */
function leaveNothing(kept: string): boolean {
  const settings = Object.keys(localStorage).filter((key) => key !== kept);
  for (const key of settings) localStorage.removeItem(key);
  const asksBefore = !dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const isCovered = document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;
  const hasNotice = document.querySelector('[class^=notices_] > p') !== null;
  return settings.length === 0 && !asksBefore && !isCovered && !hasNotice;
}
