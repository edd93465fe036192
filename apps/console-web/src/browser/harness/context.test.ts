import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSite, type Site, visit } from './console.harness.ts';

describeInBrowser('Visits of the tests', (browser) => {
  let site: Site;
  beforeAll(async () => void (site = await openSite()));
  afterAll(() => site[Symbol.asyncDispose]());

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

  test('a visit finds nothing of the one before it, in the same browser context', async () => {
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
});
