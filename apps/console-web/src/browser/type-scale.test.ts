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
