import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

const size = { width: 1280, height: 800 };

describeInBrowser('Time ranges in the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'grace@acme.example');
    const { examples } = webConsole;
    await examples.deliveriesBefore(await examples.emptyTrigger('Old'), [0, 0, 4]);
    const { ids } = await examples.runs(3);
    await examples.fail(ids.slice(0, 2), { step: 'log', code: 'bad_status', message: 'Refused.' });
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr[data-index]');
  const search = (page: Page) => new URL(page.url()).searchParams;
  const range = (page: Page) => page.getByRole('combobox', { name: 'Time' });

  test('26: the last hour or day filters the list and is kept in the address, and a bar of the histogram selects a shorter range', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    await until(async () => expect(await rowsOf(page).count()).toBe(7));
    expect(await page.getByRole('img', { name: /deliveries/ }).count()).toBe(0);
    await range(page).selectOption('Last hour');
    await until(async () => expect(await rowsOf(page).count()).toBe(3));
    await page.getByRole('img', { name: /^3 deliveries\. Peak: 3 from/ }).waitFor();
    await page.reload();
    await until(async () => expect(await rowsOf(page).count()).toBe(3));
    expect([search(page).get('last'), await range(page).inputValue()]).toEqual(['hour', 'hour']);
    await range(page).selectOption('Last 24 hours');
    const chart = page.getByRole('img', { name: /^7 deliveries\./ });
    await chart.waitFor();
    await chart.locator('g').filter({ hasText: ': 4.' }).click();
    await until(async () => expect(await rowsOf(page).count()).toBe(4));
    expect(search(page).get('last')).toBe('own');
    expect(await page.getByRole('textbox', { name: 'From' }).inputValue()).not.toBe('');
    expect(await page.getByRole('textbox', { name: 'To' }).inputValue()).not.toBe('');
  });

  test('Back to the deliveries of the last hour shows the same hour, even if time has passed since', async () => {
    // Uses a new context, because a fake clock cannot be removed from a context.
    await using tab = await openPage(browser(), webConsole, { cookie, viewport: size, isFresh: true });
    const { page, requests } = tab;
    const asked = () =>
      requests
        .map((one) => new URL(one.split(' ')[0]!))
        .filter(({ pathname }) => /\/console\/api\/.*\/deliveries$/.test(pathname))
        .map(({ searchParams }) => searchParams.get('from'));
    await page.clock.install();
    await tab.open('/deliveries?last=hour');
    await rowsOf(page).first().getByRole('link').first().click();
    await page.locator('[class^=outcome_]').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'inbound-lead v1' }).waitFor();
    await page.clock.fastForward(120_000);
    const before = asked().length;
    await page.goBack();
    await rowsOf(page).first().waitFor();
    await until(() => expect(asked().length).toBeGreaterThan(before));
    expect(new Set(asked()).size).toBe(1);
  });

  test('the bars of a week begin at 0, 6, 12 and 18 h of the selected time zone: that of the browser, or UTC', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie, viewport: size, timezoneId: 'Asia/Tokyo' });
    const { page } = tab;
    const endsOf = () =>
      page
        .getByRole('img', { name: /deliveries/ })
        .locator('g title')
        .allTextContents();
    const hours = async () => new Set((await endsOf()).slice(1, -1).map((title) => /\d\d:\d\d/.exec(title)?.[0]));
    await tab.open('/deliveries?last=week');
    await until(async () => expect(await hours()).toEqual(new Set(['00:00', '06:00', '12:00', '18:00'])));
    await page.getByRole('button', { name: /UTC/ }).click();
    await until(async () => expect((await endsOf())[1]).toMatch(/\b(00|06|12|18):00/));
  });

  test('a histogram is shown for a time range and a trigger, but not with other filters', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries?last=day');
    await page.getByRole('img', { name: /^7 deliveries\./ }).waitFor();
    await page.getByLabel('Trigger').selectOption('Old');
    await page.getByRole('img', { name: /^4 deliveries\./ }).waitFor();
    await page.getByLabel('Outcome').selectOption('No runs');
    await until(async () => expect(await page.getByRole('img').count()).toBe(0));
    await rowsOf(page).first().waitFor();
  });

  test('Today shows the runs of each hour, and how many of them failed', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('');
    await page.getByRole('link', { name: '3 runs in 24 hours' }).waitFor();
    const chart = page.getByRole('img', { name: /Most failures: 2 in the hour after \d\d:\d\d/ });
    await chart.waitFor();
    const bars = chart.locator('g').filter({ hasText: '3, 2 failed' });
    const heightOf = async (kind: string) => Number(await bars.locator(`[data-kind=${kind}]`).getAttribute('height'));
    expect((await heightOf('bad')) / (await heightOf('all'))).toBeCloseTo(2 / 3, 1);
    await page.getByRole('link', { name: '3 runs in 24 hours' }).click();
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    expect(search(page).get('from')).not.toBeNull();
  });

  test('in the audit log, too, yesterday is a calendar day in the selected time zone (found B18)', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie, viewport: size, timezoneId: 'Asia/Tokyo' });
    const { page, requests } = tab;
    await tab.open('/settings/audit');
    await range(page).selectOption('yesterday');
    // Ignores the Referer, because other requests may have the address of the audit log in theirs.
    const addresses = () => requests.map((one) => new URL(one.split(' ')[0]!));
    const asked = () =>
      addresses().findLast(({ pathname }) => pathname.startsWith('/console/api/') && pathname.endsWith('/audit'))!
        .searchParams;
    const hoursOf = () => ['gte', 'lt'].map((bound) => asked().get(`created_at[${bound}]`)?.slice(10));
    await until(async () => expect(hoursOf()).toEqual(['T15:00:00.000Z', 'T15:00:00.000Z']));
    const [from, to] = ['gte', 'lt'].map((bound) => Date.parse(asked().get(`created_at[${bound}]`)!));
    expect(to! - from!).toBe(24 * 3_600_000);
    expect(Date.now() - to!).toBeLessThan(24 * 3_600_000);
    expect(Date.now()).toBeGreaterThan(to!);
    await page.getByRole('button', { name: /UTC/ }).click();
    await until(async () => expect(hoursOf()).toEqual(['T00:00:00.000Z', 'T00:00:00.000Z']));
    expect(search(page).get('last')).toBe('yesterday');
  });

  test('beside an open delivery, rows of the list stay low even if a delivery started several runs', async () => {
    const triggerId = await webConsole.examples.emptyTrigger('Website form');
    const steps = [{ id: 'log', use: 'activity.create', with: { content: 'Came in' } }];
    for (const name of ['inbound-lead', 'nurture'])
      await webConsole.examples.assign(triggerId, { name, steps }, 'true');
    const id = await webConsole.examples.deliver(triggerId, '{"email":"ada@robotics.example"}');
    await webConsole.examples.replay(id);
    await using tab = await openSharedPage({ cookie });
    await tab.open(`/deliveries?id=${id}`);
    const row = tab.page.locator('tr[aria-current]');
    await row.getByText('+1').waitFor();
    expect((await row.boundingBox())!.height).toBeLessThan(48);
    await row.getByText('ada@robotics.example').waitFor();
    expect(await row.getByRole('link').getAttribute('title')).toContain('nurture queued');
  });

  test('a form is shown field by field, also if its only field contains JSON', async () => {
    const triggerId = await webConsole.examples.emptyTrigger();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const plain = await webConsole.examples.deliver(triggerId, 'email=ada%40acme.example&tag=a&tag=b', headers);
    const json = encodeURIComponent('{"issue":{"title":"Broken"}}');
    const wrapped = await webConsole.examples.deliver(triggerId, `payload=${json}`, headers);
    await using tab = await openSharedPage({ cookie });
    const fields = tab.page.getByRole('list', { name: 'Fields' });
    await tab.open(`/deliveries?id=${plain}&show=fields`);
    await until(async () =>
      expect(await fields.locator('code').allInnerTexts()).toEqual(['payload.email', 'payload.tag.0', 'payload.tag.1']),
    );
    await tab.open(`/deliveries?id=${wrapped}&show=fields`);
    await until(async () => expect(await fields.locator('code').allInnerTexts()).toEqual(['payload.issue.title']));
  });

  test('the selected view of a body is also marked visually', async () => {
    const id = await webConsole.examples.delivery();
    await using tab = await openSharedPage({ cookie });
    await tab.open(`/deliveries?id=${id}`);
    const views = tab.page.getByRole('navigation', { name: 'Show as' });
    const groundOf = (name: string) =>
      views.getByRole('link', { name }).evaluate((link) => getComputedStyle(link).backgroundColor);
    await views.waitFor();
    const [marked, plain] = [await groundOf('Tree'), await groundOf('Raw')];
    expect(marked).not.toBe(plain);
    await views.getByRole('link', { name: 'Headers' }).click();
    await until(async () => expect([await groundOf('Headers'), await groundOf('Tree')]).toEqual([marked, plain]));
  });

  test('no part of a page shows through an overlay or takes a click meant for it', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/triggers');
    const link = page.getByRole('link', { name: 'Old' });
    await link.waitFor();
    const { x, y, height } = (await link.boundingBox())!;
    await page.keyboard.press('c');
    await page.getByRole('dialog').waitFor();
    const isCovered = ([left, top]: [number, number]) => document.elementFromPoint(left, top)?.closest('#app') === null;
    expect(await page.evaluate(isCovered, [x + 4, y + height / 2] as [number, number])).toBe(true);
  });

  test('the menu of a key leads to the audit log, filtered by the changes of this key', async () => {
    const keyId = await webConsole.examples.key();
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/settings/keys?id=${keyId}`);
    await page.locator('tr[aria-current]').waitFor();
    await page.getByRole('button', { name: 'Actions for Example' }).click();
    await page.getByRole('menuitem', { name: 'View activity' }).click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    expect(search(page).get('actor')).toBe(keyId);
    await page.getByRole('button', { name: 'Remove filter: One actor' }).click();
    await page.getByRole('table', { name: 'Audit events' }).waitFor();
    expect(search(page).get('actor')).toBeNull();
  });
});
