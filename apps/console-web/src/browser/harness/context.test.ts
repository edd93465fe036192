import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSite, type Site, type Visit, visit } from './console.harness.ts';
import { shareVisits } from './shared-visit.harness.ts';

describeInBrowser('Visits of the tests', (browser) => {
  let site: Site;
  beforeAll(async () => void (site = await openSite()));
  afterAll(() => site[Symbol.asyncDispose]());
  const visitShared = shareVisits(browser, () => site);

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

  test('a visit in the same browser context finds no data of the previous visit', async () => {
    const seen = [];
    for (let turn = 0; turn < 2; turn++) {
      await using tab = await visit(browser(), site);
      await tab.page.goto(`${site.url}/console/sign-in`);
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
  const leftovers: readonly (readonly [name: string, isKept: boolean, leave: (tab: Visit) => Promise<void>])[] = [
    ['nothing', true, async () => undefined],
    ['a setting', false, ({ page }) => page.keyboard.press('u')],
    ['a dialog', false, ({ page }) => page.keyboard.press('?').then(() => page.getByRole('dialog').waitFor())],
    ['input', false, ({ page }) => page.getByLabel('Name', { exact: true }).fill('Acme Two')],
    ['a notice', false, saveName],
    ['another page', true, ({ page }) => page.getByRole('link', { name: 'Members' }).click()],
  ];

  async function saveName({ page }: Visit): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill('Acme Three');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Name saved.').waitFor();
  }

  test('a visit to a shared tab loads the page again only if traces of the previous visit would be visible', async () => {
    const cookie = await site.join('admin', 'ada@acme.example');
    for (const [name, isKept, leave] of leftovers) {
      {
        await using tab = await visitShared({ cookie });
        await tab.open('/settings/general');
        await tab.page.getByText('Your role').waitFor();
        await tab.page.evaluate(() => Object.assign(window, { isSame: true }));
        await leave(tab);
      }
      await using tab = await visitShared({ cookie });
      await tab.open('/settings/general');
      await tab.page.getByText('Your role').waitFor();
      expect(await tab.page.evaluate(() => 'isSame' in window), name).toBe(isKept);
      expect(await tab.page.evaluate(() => Object.keys(localStorage)), name).toEqual(['relata.org']);
    }
  });

  test('an error in a shared tab fails the visit in which it occurred, and no later one', async () => {
    const cookie = await site.signIn('ada@acme.example');
    const visitWithError = async () => {
      await using tab = await visitShared({ cookie });
      await tab.open('/settings/general');
      await tab.page.evaluate(() => console.error('Something is wrong.'));
    };
    await expect(visitWithError()).rejects.toThrow('Something is wrong.');
    await using tab = await visitShared({ cookie });
    await tab.open('/settings/general');
  });
});
