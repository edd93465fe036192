import { describeInBrowser } from '@relata/testing';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

/** Lists in which the whole row is a link. */
const wholeRows = [
  ['/deliveries', 'Deliveries'],
  ['/runs', 'Runs'],
  ['', 'Latest runs'],
] as const;

describeInBrowser('Rows in a new tab', (browser) => {
  let webConsole: WebConsole;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    const { examples } = webConsole;
    const { ids } = await examples.runs(2);
    await examples.fail([ids[0]!], { step: 'log', code: 'bad_status', message: 'It answered 503.' });
    await examples.fail([ids[1]!], { step: 'log', code: 'timeout', message: 'It took too long.' });
    await examples.emptyTrigger('Shop');
    await examples.publish({ description: 'Another version' });
    await examples.workflow({
      name: 'nurture',
      inputs: {},
      steps: [{ id: 'wait', use: 'delay', with: { for: '1h' } }],
    });
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  test('26: a middle click opens a row in a new tab: anywhere in the row for deliveries and runs, on its link in other lists', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('member', 'ada@acme.example'),
    });
    const { page } = tab;
    await tab.open('/nowhere');
    for (const [path, name] of wholeRows) {
      await tab.go(path);
      for (const row of await rowsOf(page, name, 2)) {
        const { x, y, href } = await whenStill(row);
        await expectNewTab(page, href, () => page.mouse.click(x, y, { button: 'middle' }));
      }
    }
    const workflow = await webConsole.examples.workflow();
    const trigger = (await webConsole.examples.runs(2)).triggerId;
    const linked = [
      ['/triggers', 'Triggers', 3],
      [`/triggers/${trigger}?tab=deliveries`, 'Latest deliveries', 2],
      ['/workflows', 'Workflows', 2],
      [`/workflows/${workflow}/versions`, 'Versions', 2],
      ['/problems', 'Problems', 2],
    ] as const;
    for (const [path, name, count] of linked) {
      await tab.go(path);
      for (const row of await rowsOf(page, name, count)) {
        const link = row.getByRole('link').first();
        await expectNewTab(page, (await link.getAttribute('href'))!, () => link.click({ button: 'middle' }));
      }
      expect(page.url()).toBe(`${webConsole.url}/console/o/${webConsole.orgId}${path}`);
    }
  });
});

async function rowsOf(page: Page, table: string, count: number): Promise<Locator[]> {
  const rows = page.getByRole('table', { name: table }).locator('tbody tr');
  await rows.nth(count - 1).waitFor();
  return rows.all();
}

async function expectNewTab(page: Page, href: string, click: () => Promise<void>): Promise<void> {
  const [opened] = await Promise.all([page.context().waitForEvent('page'), click()]);
  await opened.waitForURL(({ pathname, search }) => pathname + search === href, { waitUntil: 'commit' });
  await opened.close();
}

/** Returns a point of a row outside its links, and the target of the row, once the row has not moved for two frames. */
function whenStill(row: Locator) {
  return row.evaluate(async (element) => {
    const frame = () => new Promise(requestAnimationFrame);
    const looked = () => {
      const { left, top } = element.querySelectorAll('td')[3]!.getBoundingClientRect();
      return { x: left + 2, y: top + 2, href: element.querySelector('a')!.getAttribute('href')! };
    };
    let now = looked();
    let before;
    do {
      before = now;
      await frame().then(frame);
      now = looked();
    } while (now.y !== before.y || now.href !== before.href);
    return now;
  });
}
