import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

/** The page's script is large: on a busy machine a browser needs some seconds for it. */
const timeout = 90_000;

describeInBrowser('the page of the documentation', (browser) => {
  let page: Awaited<ReturnType<typeof openDocs>>['page'];
  let faults: string[];

  beforeAll(async () => void ({ page, faults } = await openDocs()), timeout);
  afterAll(() => page?.close());

  /** Opens the page, and collects its requests to other hosts and its errors. */
  async function openDocs() {
    const opened = await browser().newPage({ viewport: { width: 1280, height: 900 } });
    const found: string[] = [];
    opened.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(api.url)) found.push(request.url());
    });
    opened.on('console', (message) => void (message.type() === 'error' && found.push(message.text())));
    opened.on('pageerror', (error) => void found.push(error.message));
    await opened.goto(`${api.url}/docs`);
    await opened.locator('.opblock').first().waitFor({ timeout });
    return { page: opened, faults: found };
  }

  test('it explains how to get a key, paging and limits, and loads nothing from other hosts', { timeout }, async () => {
    for (const name of ['Get a key', 'Pages', 'Limits', 'Errors', 'Webhooks'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test('its search finds operations by their words, not only by tag', { timeout }, async () => {
    const shown = page.locator('.opblock-summary');
    const search = page.getByRole('searchbox', { name: 'Search the operations' });
    const all = await shown.count();
    await search.fill('patch contact');
    await expect.poll(() => shown.count()).toBe(1);
    expect(await shown.textContent()).toContain('Change a contact');
    await search.fill('');
    await expect.poll(() => shown.count()).toBe(all);
  });

  test('one operation is open at a time, and each has its own address', { timeout }, async () => {
    const open = page.locator('.opblock.is-open');
    await page.locator('#operations-Accounts-listAccounts .opblock-summary').click();
    await expect.poll(() => open.count()).toBe(1);
    await page.locator('#operations-Keys-getSelf .opblock-summary').click();
    await page.locator('#operations-Keys-getSelf.is-open').waitFor();
    await expect.poll(() => open.count()).toBe(1);
    expect(page.url()).toContain('#/Keys/getSelf');
  });

  test('an entered key is stored, and sent with requests that are tried out', { timeout }, async () => {
    await page.locator('.auth-wrapper .authorize').first().click();
    await page.locator('#api_key_value').fill(api.tenant.key);
    await page.locator('.auth-container .authorize').first().click();
    await page.goto(`${api.url}/docs#/Keys/getSelf`);
    await page.reload();
    await page.locator('#operations-Keys-getSelf .execute').click({ timeout });
    const answer = page.locator('#operations-Keys-getSelf .live-responses-table');
    await answer.waitFor();
    expect(await answer.textContent()).toContain('"Acme"');
    expect(faults).toEqual([]);
  });
});
