import { describeInBrowser } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';
import { phone } from './harness/sound.harness.ts';
import { expectNothingLostAtTwice } from './harness/text-size.harness.ts';

describeInBrowser('Sizes of text and columns', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'grace@acme.example');
    await webConsole.examples.key();
    await webConsole.examples.deliveriesBefore(await webConsole.examples.emptyTrigger('Website form'), [40, 40]);
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  test('text has 14 px, tables 13 px, titles 20 px, and all sizes follow the font size of the browser', async () => {
    await using tab = await openSharedPage({ cookie });
    await tab.open('/settings/keys');
    await tab.page.getByRole('row').filter({ hasText: 'Example' }).waitFor();
    const sizes = { body: '14px/20px', td: '13px/18px', h1: '20px/28px' };
    for (const [selector, expected] of Object.entries(sizes)) expect(await sizeOf(tab.page, selector)).toBe(expected);
    await tab.page.evaluate(() => (document.documentElement.style.fontSize = '32px'));
    expect(await sizeOf(tab.page, 'h1')).toBe('40px/56px');
    await tab.page.evaluate(() => document.documentElement.removeAttribute('style'));
  });

  test('55: at 320 px tabs are in one row, which scrolls to the current tab', async () => {
    await using tab = await openSharedPage({ cookie, viewport: phone });
    await tab.open(`/triggers/${await webConsole.examples.emptyTrigger('Shop')}?tab=deliveries`);
    const links = tab.page.getByRole('navigation', { name: 'Trigger' }).getByRole('link');
    await links.first().waitFor();
    const boxes = await Promise.all((await links.all()).map(async (link) => (await link.boundingBox())!));
    expect(new Set(boxes.map(({ y }) => y)).size).toBe(1);
    const { x, width } = boxes.at(-1)!;
    expect(x + width).toBeLessThanOrEqual(320);
    expect(boxes[0]!.x).toBeLessThan(0);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });

  test('panels and colours match the design', async () => {
    await using tab = await openSharedPage({ cookie });
    await tab.open('/settings/keys');
    await tab.page.getByRole('row').filter({ hasText: 'Example' }).waitFor();
    const panel = tab.page.locator('section').filter({ has: tab.page.getByRole('table', { name: 'Keys' }) });
    expect(await panel.evaluate((section) => getComputedStyle(section).borderRadius)).toBe('6px');
    const colours = await tab.page.evaluate(() => {
      const [probe, names] = [document.createElement('i'), ['surface', 'text', 'muted', 'accent', 'ok', 'warn', 'bad']];
      document.body.append(probe);
      return names.map((name) => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color.replaceAll(/\d+/g, (part) => Number(part).toString(16).padStart(2, '0'));
      });
    });
    const hex = colours.map((colour) => `#${colour.replaceAll(/rgb|[^\da-f]/g, '')}`);
    expect(hex).toEqual(['#ffffff', '#16191d', '#5b6470', '#2456d6', '#1a7f4b', '#9a5b00', '#b42318']);
  });

  test('beside an open delivery, rows have two lines, and show their whole content on hover (found B9)', async () => {
    const email = `${'ada.lovelace.'.repeat(6)}@analytical-engines.example`;
    const triggerId = await webConsole.examples.emptyTrigger(
      `Website form ${'of the analytical engines '.repeat(3)}`.trim(),
    );
    const steps = [{ id: 'wait', use: 'delay', with: { for: '1h' } }];
    for (const name of ['qualify-inbound-leads-of-the-website', 'nurture-inbound-leads-of-the-website'])
      await webConsole.examples.assign(triggerId, { name, inputs: {}, steps }, 'true');
    const body = { email, name: 'Ada Augusta King, Countess of Lovelace', message: 'We would like to see a demo.' };
    for (const name of ['short', 'Grace Hopper', body.name])
      await webConsole.examples.deliver(triggerId, JSON.stringify({ ...body, name }));
    const id = await webConsole.examples.deliver(triggerId, JSON.stringify(body));
    await webConsole.examples.replay(id);
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/deliveries?trigger=${triggerId}&id=${id}`);
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
    await page.getByText('Copy raw').waitFor();
    await rows.nth(3).waitFor();
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    expect(heights).toHaveLength(4);
    // Two lines of 18 px, padding of 4 px above and below, and a border of 1 px.
    for (const height of heights) expect(height).toBeLessThanOrEqual(2 * 18 + 2 * 4 + 1);
    expect(await rows.first().getByRole('link').first().getAttribute('title')).toContain(`name: ${body.name}\n`);
    await page.getByRole('list', { name: 'Replay preview' }).waitFor();
    await expectNothingLostAtTwice(page, 'beside an open delivery');
  });

  test('while the replay preview loads, a skeleton keeps its space (found B9)', async () => {
    const id = await webConsole.examples.deliver(await webConsole.examples.trigger(), '{"email":"ada@acme.example"}');
    await using tab = await openSharedPage({ cookie });
    // Leaves the preview unanswered.
    await tab.page.route('**/replay', () => undefined);
    await tab.open(`/deliveries?id=${id}`);
    const waiting = tab.page.getByRole('region', { name: 'Form' }).locator('[data-skeleton][data-shown]');
    await waiting.waitFor();
    expect((await waiting.locator('div').first().boundingBox())!.width).toBeGreaterThan(200);
  });

  test('the columns of a long list, whose rows are partly not in the page, fill the table', async () => {
    await using tab = await openSharedPage({ cookie });
    await tab.open('/deliveries');
    const gap = tab.page.getByRole('table', { name: 'Deliveries' }).locator('tr[aria-hidden]');
    await gap.first().waitFor({ state: 'attached' });
    const widths = await tab.page
      .getByRole('columnheader')
      .evaluateAll((heads) => heads.map((head) => head.clientWidth));
    const table = await tab.page.getByRole('table', { name: 'Deliveries' }).evaluate(({ clientWidth }) => clientWidth);
    expect(Math.abs(widths.reduce((sum, width) => sum + width, 0) - table)).toBeLessThan(2);
  });
});

/** Returns font size and line height. */
const sizeOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { fontSize, lineHeight } = getComputedStyle(element);
      return [fontSize, lineHeight].map((size) => `${Math.round(Number.parseFloat(size))}px`).join('/');
    });
