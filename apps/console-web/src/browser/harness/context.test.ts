import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './console.harness.ts';
import { sharePages } from './shared-page.harness.ts';

describeInBrowser('Visits of the tests', (browser) => {
  let webConsole: WebConsole;
  beforeAll(async () => void (webConsole = await startWebConsole()));
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  const stored = async () => [
    document.cookie,
    JSON.stringify(localStorage),
    JSON.stringify(sessionStorage),
    (await indexedDB.databases()).length,
    (await caches.keys()).length,
  ];
  const store = async () => {
    document.cookie = 'kept=1';
    localStorage.setItem('kept', '1');
    sessionStorage.setItem('kept', '1');
    await caches.open('kept');
    await new Promise((resolve) => (indexedDB.open('kept').onsuccess = resolve));
  };

  test('a page in the same browser context finds no data of the previous page', async () => {
    const seen = [];
    for (let turn = 0; turn < 2; turn++) {
      await using tab = await openPage(browser(), webConsole);
      await tab.page.goto(`${webConsole.url}/console/sign-in`);
      const before = await tab.page.evaluate(stored);
      await tab.page.evaluate(store);
      seen.push({ before, after: await tab.page.evaluate(stored), context: tab.page.context() });
    }
    const [first, second] = seen;
    expect(second!.before).toEqual(['', '{}', '{}', 0, 0]);
    expect(second!.before).toEqual(first!.before);
    expect(first!.after).toEqual(['kept=1', '{"kept":"1"}', '{"kept":"1"}', 1, 1]);
    expect(second!.context).toBe(first!.context);
  });

  /** Traces that a test may leave in a shared tab. */
  const leftovers: readonly (readonly [name: string, isKept: boolean, leave: (tab: TestPage) => Promise<void>])[] = [
    ['nothing', true, async () => undefined],
    ['a setting', false, ({ page }) => page.keyboard.press('u')],
    ['a dialog', false, ({ page }) => page.keyboard.press('?').then(() => page.getByRole('dialog').waitFor())],
    ['input', false, ({ page }) => page.getByLabel('Name', { exact: true }).fill('Acme Two')],
    ['a notice', false, saveName],
    ['another page', true, ({ page }) => page.getByRole('link', { name: 'Members' }).click()],
  ];

  async function saveName({ page }: TestPage): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill('Acme Three');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Name saved.').waitFor();
  }

  test('a shared tab loads the page again only if traces of the previous test would be visible', async () => {
    const cookie = await webConsole.join('admin', 'ada@acme.example');
    for (const [name, isKept, leave] of leftovers) {
      {
        await using tab = await openSharedPage({ cookie });
        await tab.open('/settings/general');
        await tab.page.getByText('Your role').waitFor();
        await tab.page.evaluate(() => Object.assign(window, { isSame: true }));
        await leave(tab);
      }
      await using tab = await openSharedPage({ cookie });
      await tab.open('/settings/general');
      await tab.page.getByText('Your role').waitFor();
      expect(await tab.page.evaluate(() => 'isSame' in window), name).toBe(isKept);
      expect(await tab.page.evaluate(() => Object.keys(localStorage)), name).toEqual(['relata.org']);
    }
  });

  test('an error in a shared tab fails the test in which it occurred, and no later one', async () => {
    const cookie = await webConsole.signIn('ada@acme.example');
    const visitWithError = async () => {
      await using tab = await openSharedPage({ cookie });
      await tab.open('/settings/general');
      await tab.page.evaluate(() => console.error('Something is wrong.'));
    };
    await expect(visitWithError()).rejects.toThrow('Something is wrong.');
    await using tab = await openSharedPage({ cookie });
    await tab.open('/settings/general');
  });
});
