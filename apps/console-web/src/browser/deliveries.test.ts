import { countText } from '../ui/data/count.ts';
import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';
import { timeLimitFactor, holdKey, openingMs, quickestMs, scrollToEnd, watchWork } from './harness/measure.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

const all = 10_000;
/** Number of rows that the focus moves while a key is held. */
const held = 90;
/** Index of a row far down the list, where the key is held a second time. */
const deep = 9_000;
const frameMsMax = 34 * timeLimitFactor;
const nodesMax = 1_500;
const openMsMax = 300 * timeLimitFactor;
/** Timeout for hundreds of frames on a busy machine. */
const longMs = 300_000;

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr[data-index]');
const focused = (page: Page) => page.evaluate(() => document.activeElement?.closest('tr')?.getAttribute('data-index'));
/** Scrolls until a row is in the page. All rows have about the same height. */
const scrollToRow = (page: Page, index: number) =>
  page.evaluate(
    async ([index, all]) => {
      scrollTo(0, (document.documentElement.scrollHeight * index) / all);
      while (!document.querySelector(`tr[data-index="${index}"]`)) await new Promise(requestAnimationFrame);
    },
    [index, all] as const,
  );
const nodes = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length);

describeInBrowser('A list of 10,000 deliveries', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('member', 'grace@acme.example');
    for (let made = 0; made < all; made += 2_000) await webConsole.examples.runs(2_000);
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  test(
    '25: holding j at the top and below 9,000 rows and scrolling to the end stay smooth, with few nodes and little memory',
    async () => {
      await using tab = await openPage(browser(), webConsole, { cookie });
      const { page } = tab;
      await tab.open('/deliveries');
      await rowsOf(page).first().waitFor();
      /** Returns the CPU time of the page per frame of an action, in ms. */
      const frameMsOf = async (act: () => Promise<number>): Promise<number> => {
        const work = await watchWork(page);
        const frames = await act();
        const frameMs = (await work.ms()) / frames;
        expect(frameMs, 'CPU time of the page per frame').toBeLessThanOrEqual(frameMsMax);
        expect(await nodes(page)).toBeLessThan(nodesMax);
        return frameMs;
      };
      const topFrameMs = await frameMsOf(() => holdKey(page, 'j', held));
      expect(await focused(page)).toBe(String(held));
      await frameMsOf(() => scrollToEnd(page, `${countText(all)} deliveries`));
      expect(await (await watchWork(page)).heapBytes()).toBeLessThan(100 * 1_048_576);
      expect(await focused(page), 'the focused row is still in the page').toBe(String(held));

      await scrollToRow(page, deep);
      await rowsOf(page)
        .and(page.locator(`[data-index="${deep}"]`))
        .getByRole('link')
        .first()
        .focus();
      const deepFrameMs = await frameMsOf(() => holdKey(page, 'j', deep + held));
      expect(await focused(page)).toBe(String(deep + held));
      expect(deepFrameMs, 'does not grow with the rows above').toBeLessThan(topFrameMs * 2 + frameMsMax / 10);
    },
    longMs,
  );

  test('25: Back restores the row and the scroll', { timeout: longMs }, async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    await rowsOf(page).first().waitFor();
    await holdKey(page, 'j', 70);
    await page.keyboard.press('Enter');
    await page.getByText('Copy raw').waitFor();
    const current = page.locator('tr[aria-current]');
    await current.waitFor();
    const [address, index] = [page.url(), await current.getAttribute('data-index')];
    expect(index).toBe('70');
    const top = (await current.boundingBox())!.y;
    await page.locator('[class^=outcome_]').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'inbound-lead v1' }).waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await current.waitFor();
    expect([page.url(), await current.getAttribute('data-index')]).toEqual([address, index]);
    await until(async () => expect(Math.abs((await current.boundingBox())!.y - top)).toBeLessThan(4));
    expect(await focused(page)).toBe(index);
  });

  test('a changed row in view is updated, and new rows above it do not move it', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    const streaming = page.waitForResponse((response) => response.url().endsWith('/stream'));
    await tab.open('/deliveries');
    await streaming;
    await rowsOf(page).first().waitFor();
    await holdKey(page, 'j', 70);
    const row = page.locator('tr[data-index="70"]');
    const [href, top] = [await row.getByRole('link').first().getAttribute('href'), (await row.boundingBox())!.y];
    const id = new URLSearchParams(href!.split('?')[1]).get('id')!;
    const { runs } = await webConsole.examples.stored(id);
    await webConsole.examples.fail([runs[0]!.id], { code: 'timeout', message: 'It took too long.' });
    await webConsole.examples.delivery();
    await row.getByText('failed').waitFor();
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await row.getByRole('link').first().getAttribute('href')).toBe(href);
    expect(Math.abs((await row.boundingBox())!.y - top)).toBeLessThan(4);
  });
});

describeInBrowser('A delivery', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('member', 'ada@acme.example');
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  test('26: filters, the search, the row and its tab survive a reload and open in a new tab', async () => {
    const where = '!has(payload.nothing)';
    const { triggerId, deliveries } = await webConsole.examples.runs(3);
    await webConsole.examples.delivery();
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    await page.getByLabel('Trigger').selectOption(triggerId);
    await page.getByLabel('Outcome').selectOption('started');
    await page.getByRole('combobox', { name: 'Time' }).selectOption('own');
    await page.getByLabel('From').fill('2020-01-01T00:00');
    await page.getByLabel('From').press('Enter');
    await page.getByLabel('Search deliveries').fill(where);
    await page.getByLabel('Search deliveries').press('Enter');
    await page.waitForURL(/where=/);
    await until(async () => expect(await rowsOf(page).count()).toBe(3));
    await rowsOf(page).nth(1).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Headers' }).click();
    await page.getByRole('region', { name: 'Headers' }).waitFor();
    const shown = async (of: Page) => {
      await of.getByRole('region', { name: 'Headers' }).waitFor();
      await until(async () => expect(await rowsOf(of).count()).toBe(3));
      expect(await of.locator('tr[aria-current]').getAttribute('data-index')).toBe('1');
      await until(async () => expect(await of.getByLabel('Trigger').inputValue()).toBe(triggerId));
      expect(await of.getByLabel('Outcome').inputValue()).toBe('started');
      expect(await of.getByLabel('Search deliveries').inputValue()).toBe(where);
      expect(await of.getByLabel('From').inputValue()).toBe('2020-01-01T00:00');
    };
    await page.reload();
    await shown(page);
    expect(page.url()).toContain(deliveries[1]);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await shown(other);
  });

  test('a link to an expired delivery says that it was not found, and Escape returns the focus to the list', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries?id=01a21e57-13ae-7000-a10d-f1236da4770c');
    await page.getByText('Delivery not found').waitFor();
    expect(await page.title()).toBe('Deliveries · Relata');
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await rowsOf(page).first().getByRole('link').first().getAttribute('tabindex')).toBeNull();
    await page.keyboard.press('Escape');
    await page.getByText('Delivery not found').waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('id=');
    expect(await focused(page)).toBe('0');
  });

  test('28: “Copy raw” copies exactly the stored bytes', async () => {
    const body = Buffer.from(
      '{ "name":\t"Ångström ☃ 😀",\n\n "escaped": "\\u0000\\ud800 \\/", "n": 12345678901234567890.50 }\n',
    );
    const id = await webConsole.examples.deliver(await webConsole.examples.trigger(), body);
    await using tab = await openPage(browser(), webConsole, {
      cookie,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = tab;
    await tab.open('/deliveries');
    for (const show of ['tree', 'raw', 'headers']) {
      await page.context().clearPermissions();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await tab.go(`/deliveries?id=${id}&show=${show}`);
      await page.getByRole('button', { name: 'Copy raw' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = Buffer.from(await page.evaluate(() => navigator.clipboard.readText()));
      expect(copied.equals(body), show).toBe(true);
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await tab.go('/deliveries');
      await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
    }
    expect((await webConsole.examples.stored(id)).body.equals(body)).toBe(true);
  });

  test('28: a body of 512 KB without line breaks opens within 300 ms, and scrolls to its end', async () => {
    const triggerId = await webConsole.examples.trigger();
    const body = JSON.stringify({ text: 'lorem ipsum '.repeat(43_690), end: 'the very end' });
    expect(body.length).toBeGreaterThanOrEqual(512 * 1_024);
    const bodies = [body, body, body, body];
    for (const one of bodies) await webConsole.examples.deliver(triggerId, one);
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    for (const show of ['tree', 'raw']) {
      await tab.open(`/deliveries?trigger=${triggerId}&show=${show}`);
      await rowsOf(page).first().waitFor();
      const quickest = await quickestMs(openMsMax, bodies.keys(), (at) =>
        openingMs(page, `tr[data-index="${at}"] a`, '[role=region]', '"lorem ipsum|text'),
      );
      expect(quickest, show).toBeLessThan(openMsMax);
    }
    const region = page.getByRole('region', { name: 'Raw' });
    await region.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await region.getByText('the very end').waitFor();
    expect(await region.evaluate((box) => box.scrollTop)).toBeGreaterThan(10_000);
    expect(await nodes(page)).toBeLessThan(nodesMax);
  });

  test('each field of a body has the path for a mapping, and one click uses the delivery as a sample', async () => {
    const triggerId = await webConsole.examples.trigger();
    const items = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`n${at}`, at]));
    const body = { 'a.b': 'dotted', a: { b: 'nested' }, user: { email: 'ada@acme.example' }, '': 'nameless', items };
    const id = await webConsole.examples.deliver(triggerId, JSON.stringify(body));
    await webConsole.examples.deliver(triggerId, '{"email":"newer@acme.example"}');
    const admin = await webConsole.join('admin', 'grace@acme.example');
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using tab = await openPage(browser(), webConsole, { cookie: admin, permissions });
    const { page } = tab;
    await tab.open(`/deliveries?id=${id}`);
    await page.getByRole('link', { name: 'Fields', exact: true }).click();
    const fields = page.getByRole('list', { name: 'Fields' });
    const line = (value: string) => fields.getByRole('listitem').filter({ hasText: value });
    await line('"ada@acme.example"').getByRole('button', { name: 'Copy payload.user.email' }).click();
    await line('"ada@acme.example"').getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('payload.user.email');
    // Both values have the same path, but a mapping with this path reads only the first.
    await line('"dotted"').getByRole('button', { name: 'Copy payload.a.b', exact: true }).waitFor();
    expect(await line('"nested"').locator('code').innerText()).toBe('payload.a.b');
    expect(await line('"nested"').getByText('expressions only').count()).toBe(1);
    expect(await line('"nameless"').locator('code').innerText()).toBe('payload[""]');
    expect(await fields.getByRole('listitem').count()).toBe(100);
    await page.getByRole('button', { name: 'Show more fields' }).click();
    await line('payload.items.n119').waitFor();
    expect(await page.getByRole('button', { name: 'Show more fields' }).count()).toBe(0);

    await page.getByRole('link', { name: 'Use as sample' }).click();
    await page.getByRole('list', { name: 'Body' }).getByRole('button', { name: 'email "ada@acme.example"' }).waitFor();
    expect(new URL(page.url()).searchParams.get('delivery')).toBe(id);
    await page.goBack();
    await page.getByRole('heading', { name: 'Form' }).getByRole('link').click();
    await page.waitForURL((url) => url.pathname.endsWith(`/triggers/${triggerId}`));
  });

  test('29: the preview of a replay lists what will start, and why other workflows will not; the result links the new run', async () => {
    const triggerId = await webConsole.examples.trigger();
    const id = await webConsole.examples.deliver(triggerId, '{"email":"ada@acme.example","plan":"free"}');
    await webConsole.examples.replay(id);
    const version = await webConsole.examples.publish({ description: `Of ${id}` });
    const nurture = { name: 'nurture', inputs: {}, steps: [{ id: 'wait', use: 'delay', with: { for: '1h' } }] };
    const filter = 'payload.plan == "paid"';
    await webConsole.examples.assign(triggerId, nurture, filter);

    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/deliveries?id=${id}`);
    const before = page.getByRole('list', { name: 'Replay preview' });
    await before.getByText(`inbound-lead v${version} (was v`).waitFor();
    await before.getByText(`nurture: excluded by the filter ${filter}`).waitFor();
    const after = page.getByRole('list', { name: 'Replay result' });
    expect(await after.count()).toBe(0);
    const countRuns = async () => (await webConsole.examples.stored(id)).runs.length;
    const runs = await countRuns();
    await page.getByRole('button', { name: 'Replay' }).click();
    await after.getByText('nurture: excluded by the filter').waitFor();
    expect(await countRuns()).toBe(runs + 1);
    await after.getByRole('link', { name: `inbound-lead v${version}` }).click();
    await page.getByRole('heading', { name: `inbound-lead v${version}` }).waitFor();
  });

  test('29: a delivery that the current mapping refuses cannot be replayed, and the page says why', async () => {
    const id = await webConsole.examples.deliver(await webConsole.examples.trigger(), '{"mail":"ada@acme.example"}');
    await using tab = await openSharedPage({ cookie });
    await tab.open(`/deliveries?id=${id}`);
    await tab.page.getByText('A replay would not start any runs:').waitFor();
    await tab.page.getByText('input "email" (from payload.email) is required').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Replay' }).isDisabled()).toBe(true);
  });
});
