import { describeInBrowser } from '@relata/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../../records-api/src/records-api.harness.ts';
import { startTestDocs } from './docs.harness.ts';

let api: TestApi;
/** Timeout in ms. On a busy machine a browser may need some seconds. */
const timeout = 90_000;

beforeAll(async () => void (api = await startTestDocs()));
afterAll(() => api[Symbol.asyncDispose]());

describeInBrowser('the pages of the documentation', (browser) => {
  /** Opens a page, and collects its requests to other hosts and its errors. */
  async function open(path: string, options: { width?: number; colorScheme?: 'light' | 'dark' } = {}) {
    const { width = 1280, colorScheme = 'light' } = options;
    const page = await browser().newPage({ viewport: { width, height: 900 }, colorScheme });
    const faults: string[] = [];
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(api.url)) faults.push(request.url());
    });
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    page.on('pageerror', (error) => void faults.push(error.message));
    await page.goto(`${api.url}${path}`);
    return { page, faults, [Symbol.asyncDispose]: () => page.close() };
  }

  const findings = async (page: Page): Promise<string[]> => {
    const session = await page.context().newCDPSession(page);
    const expression = `${axe.source};axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`;
    const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return result.value as string[];
  };

  test.each([
    ['/docs', 1280, 'light'],
    ['/docs/api', 390, 'dark'],
    ['/docs/reference/accounts', 1280, 'dark'],
    ['/docs/reference/accounts', 390, 'light'],
    ['/docs/errors', 1280, 'light'],
    ['/docs/senders', 320, 'light'],
    ['/docs/senders/standard-webhooks', 320, 'dark'],
  ] as const)(
    '%s at %i px in %s passes axe, loads nothing from other hosts and does not scroll sideways (found C3)',
    { timeout },
    async (path, width, colorScheme) => {
      await using opened = await open(path, { width, colorScheme });
      const { page, faults } = opened;
      if (path.startsWith('/docs/reference')) await page.getByText('Try it').first().click();
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(faults).toEqual([]);
    },
  );

  test('the search finds all pages, and needs only the keyboard (found C3)', { timeout }, async () => {
    await using opened = await open('/docs');
    const { page, faults } = opened;
    await page.keyboard.press('/');
    await page.keyboard.type('previous secret overlap');
    await page.getByRole('option').first().waitFor({ timeout });
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('patch contact');
    await page.getByRole('option', { name: 'Contacts › Change a contact' }).waitFor({ timeout });
    const chosen = () => page.locator('[role=option][aria-selected=true]').getAttribute('id');
    expect(await chosen()).toBe('result-0');
    await page.keyboard.press('ArrowDown');
    expect(await chosen()).toBe('result-1');
    expect(await page.getByRole('combobox').getAttribute('aria-activedescendant')).toBe('result-1');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox').count()).toBe(0);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('stripe signing secret');
    await page
      .getByRole('option', { name: /^Stripe/ })
      .first()
      .waitFor({ timeout });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/senders/, { timeout });
    expect(faults).toEqual([]);
  });

  test(
    'the keyboard can choose the language of all samples, and the choice is stored (found C3)',
    { timeout },
    async () => {
      await using opened = await open('/docs/reference/contacts');
      const { page } = opened;
      const shown = () =>
        page
          .locator('pre[data-language]:visible')
          .evaluateAll((all) => [...new Set(all.map(({ dataset }) => (dataset as DOMStringMap)['language']))]);
      expect(await shown()).toEqual(['curl']);
      await page.getByRole('tab', { name: 'curl' }).first().focus();
      await page.keyboard.press('ArrowRight');
      expect(await shown()).toEqual(['TypeScript']);
      await page.keyboard.press('ArrowRight');
      await page.goto(`${api.url}/docs/reference/keys`);
      expect(await shown()).toEqual(['Python']);
      await page.emulateMedia({ media: 'print' });
      expect(await shown()).toEqual(['curl', 'TypeScript', 'Python']);
    },
  );

  test('a form tries an operation with a key, which only this tab stores', { timeout }, async () => {
    await using opened = await open('/docs/reference/accounts');
    const { page, faults } = opened;
    const form = page.getByRole('form', { name: 'Create an account' });
    const details = page.locator('details.try').filter({ has: page.locator('[data-operation=createAccount]') });
    await details.locator('summary').click();
    await form.getByLabel('API key').fill(api.tenant.key);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('201 Created').waitFor({ timeout });
    expect(await form.locator('.answer pre').textContent()).toContain('"account_name": "Example Robotics"');
    await page.goto(`${api.url}/docs/reference/keys`);
    await page.getByText('Try it').click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor({ timeout });
    expect(await page.locator('.answer pre').textContent()).toContain('"Acme"');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(api.tenant.key);
    expect(faults).toEqual([]);
  });

  test('keys that Swagger UI stored are removed', { timeout }, async () => {
    await using opened = await open('/docs');
    const { page } = opened;
    await page.evaluate(() => localStorage.setItem('authorized', '{"ApiKey":{"value":"relata_sk_…"}}'));
    await page.reload();
    expect(await page.evaluate(() => localStorage.getItem('authorized'))).toBeNull();
  });

  test('`/` does not focus the search if the shortcuts of the console are off; Ctrl+K does', { timeout }, async () => {
    await using opened = await open('/docs');
    const { page } = opened;
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press('/');
    expect(await focused()).toBe('search');
    await page.evaluate(() => localStorage.setItem('relata.shortcuts', 'off'));
    await page.reload();
    expect(await page.locator('search kbd').isVisible()).toBe(false);
    await page.keyboard.press('/');
    expect(await focused()).not.toBe('search');
    await page.keyboard.press('ControlOrMeta+k');
    expect(await focused()).toBe('search');
  });

  test(
    'a screen reader hears the status of a response without its text, and that code was copied',
    { timeout },
    async () => {
      await using opened = await open('/docs/reference/keys');
      const { page } = opened;
      await page.getByText('Try it').click();
      await page.getByLabel('API key').fill(api.tenant.key);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('200 OK').waitFor({ timeout });
      expect(await page.locator('.answer [role=status]').textContent()).toMatch(/^200 OK in \d+ ms$/);
      expect(await page.locator('.answer pre').textContent()).toContain('"Acme"');
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByRole('button', { name: /^(Copied|Selected)$/ }).waitFor({ timeout });
    },
  );

  test('the theme can be chosen, and the menu of a phone opens and closes', { timeout }, async () => {
    await using opened = await open('/docs/api');
    const { page } = opened;
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.reload();
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.getByRole('link', { name: 'Webhooks', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Menu' }).click();
    expect(await findings(page)).toEqual([]);
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'Webhooks', exact: true })
      .click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor({ timeout });
  });
});
