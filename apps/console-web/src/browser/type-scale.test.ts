import { describeInBrowser } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSite, type Site, visit } from './harness/console.harness.ts';

const size = { width: 1280, height: 800 };

describeInBrowser('Sizes of text and of columns', (browser) => {
  let site: Site;
  let cookie: string;
  beforeAll(async () => {
    site = await openSite();
    cookie = await site.join('admin', 'grace@acme.example');
    await site.examples.key();
    await site.examples.deliveriesBefore(await site.examples.emptyTrigger('Website form'), [40, 40]);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test('text is 14 px, tables 13, titles 20, and all of it follows the size that the browser is set to', async () => {
    await using tab = await visit(browser(), site, { cookie, viewport: size });
    await tab.open('/settings/keys');
    await tab.page.getByRole('row').filter({ hasText: 'Example' }).waitFor();
    const sizes = { body: '14px/20px', td: '13px/18px', h1: '20px/28px' };
    for (const [selector, expected] of Object.entries(sizes)) expect(await sizeOf(tab.page, selector)).toBe(expected);
    await tab.page.evaluate(() => (document.documentElement.style.fontSize = '32px'));
    expect(await sizeOf(tab.page, 'h1')).toBe('40px/56px');
  });

  test('55: at 320 px tabs stand in one row, which scrolls by itself and shows the current one', async () => {
    await using tab = await visit(browser(), site, { cookie, viewport: { width: 320, height: 640 } });
    await tab.open(`/triggers/${await site.examples.emptyTrigger('Shop')}?tab=deliveries`);
    const links = tab.page.getByRole('navigation', { name: 'Trigger' }).getByRole('link');
    await links.first().waitFor();
    const boxes = await Promise.all((await links.all()).map(async (link) => (await link.boundingBox())!));
    expect(new Set(boxes.map(({ y }) => y)).size).toBe(1);
    const { x, width } = boxes.at(-1)!;
    expect(x + width).toBeLessThanOrEqual(320);
    expect(boxes[0]!.x).toBeLessThan(0);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });

  test('panels and colours are those of the design', async () => {
    await using tab = await visit(browser(), site, { cookie, viewport: size, colorScheme: 'light' });
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

  test('where rows are out of view, the columns fill the table as they do without', async () => {
    await using tab = await visit(browser(), site, { cookie, viewport: size });
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

/** Of its text, and of its lines. */
const sizeOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { fontSize, lineHeight } = getComputedStyle(element);
      return [fontSize, lineHeight].map((size) => `${Math.round(Number.parseFloat(size))}px`).join('/');
    });
