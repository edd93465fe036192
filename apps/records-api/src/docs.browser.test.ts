import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

describeInBrowser('the page of the documentation', (browser) => {
  /** The page, and whatever it asked of elsewhere or was refused. */
  async function openDocs() {
    const page = await browser().newPage({ viewport: { width: 1280, height: 900 } });
    const faults: string[] = [];
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(api.url)) faults.push(request.url());
    });
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    page.on('pageerror', (error) => void faults.push(error.message));
    await page.goto(`${api.url}/docs`);
    await page.getByRole('heading', { name: 'Get a key' }).waitFor();
    return { page, faults };
  }

  test('it says how to get a key, how pages and limits work, and asks nothing of elsewhere', async () => {
    const { page, faults } = await openDocs();
    for (const name of ['Pages', 'Limits', 'Errors', 'Webhooks'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.locator('.opblock').first().waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  test('its search finds operations by their words, and not only tags', async () => {
    const { page } = await openDocs();
    const shown = page.locator('.opblock-summary');
    await expect.poll(() => shown.count()).toBeGreaterThan(20);
    await page.getByRole('searchbox', { name: 'Search the operations' }).fill('patch contact');
    await expect.poll(() => shown.count()).toBe(1);
    expect(await shown.textContent()).toContain('Change a contact');
    await page.close();
  });

  test('of all operations one is open at a time, and each has an address', async () => {
    const { page } = await openDocs();
    const open = page.locator('.opblock.is-open');
    await page.locator('#operations-Accounts-listAccounts .opblock-summary').click();
    await page.locator('#operations-Keys-getSelf .opblock-summary').click();
    await expect.poll(() => open.count()).toBe(1);
    expect(await open.getAttribute('id')).toBe('operations-Keys-getSelf');
    expect(page.url()).toContain('#/Keys/getSelf');
    await page.close();
  });

  test('a key that was entered is kept, and is sent with what is tried', async () => {
    const { page, faults } = await openDocs();
    await page.locator('.auth-wrapper .authorize').first().click();
    await page.locator('#api_key_value').fill(api.tenant.key);
    await page.locator('.auth-container .authorize').first().click();
    await page.reload();
    await page.locator('#operations-Keys-getSelf .opblock-summary').click();
    await page.locator('#operations-Keys-getSelf .execute').click();
    await page.locator('#operations-Keys-getSelf .live-responses-table').waitFor();
    expect(await page.locator('#operations-Keys-getSelf .live-responses-table').textContent()).toContain('"Acme"');
    expect(faults).toEqual([]);
    await page.close();
  });
});
