import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeInBrowser, findChromium, until } from '@relata/testing';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser as Client } from '../../../console/src/console-client.harness.ts';
import { openReplica } from '../../../records-api/src/records-api.harness.ts';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';
import { leftIn, openProfile, textsIn } from './harness/left-over.harness.ts';
import { timeLimitFactor } from './harness/measure.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

const firstUseMsMax = 6_000 * timeLimitFactor;

describeInBrowser('API keys in the console', (browser) => {
  const stack = new AsyncDisposableStack();
  let webConsole: WebConsole;
  let cookie: string;
  let apiUrl: string;
  beforeAll(async () => {
    webConsole = stack.use(await startWebConsole());
    const api = stack.use(await openReplica(webConsole.console.db.url, {}));
    const shown = stack.use(await webConsole.console.startReplica({ publicUrl: api.url }));
    apiUrl = api.url;
    webConsole = { ...webConsole, url: shown.url };
    cookie = await webConsole.join('admin', 'grace@acme.example');
  });
  afterAll(() => stack.disposeAsync());
  const openSharedPage = sharePages(browser, () => webConsole);

  async function openKeys(visiting: typeof openSharedPage) {
    const tab = await visiting({ cookie, permissions: ['clipboard-read', 'clipboard-write'] });
    await tab.open('/settings/keys');
    await tab.page.getByRole('heading', { name: 'API keys' }).waitFor();
    return tab;
  }

  /** Creates a key, and returns it from the dialog that shows it. */
  async function createKey(page: Page, name: string, scopes: readonly string[]): Promise<string> {
    await page.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('dialog', { name: 'Create key' });
    await form.getByLabel('Name').fill(name);
    for (const scope of scopes) await form.getByLabel(scope).check();
    await form.getByRole('button', { name: 'Create key' }).click();
    return (await page.getByLabel('key', { exact: true }).textContent())!;
  }

  async function store(page: Page): Promise<void> {
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
  }

  async function act(page: Page, key: string, name: string): Promise<void> {
    await page
      .getByRole('button', { name: `Actions for ${key}`, exact: true })
      .first()
      .click();
    await page.getByRole('menuitem', { name }).click();
  }

  const statusOf = async (key: string) => (await fetch(`${apiUrl}/v1/self`, { headers: { 'x-api-key': key } })).status;

  test('13, 14, 15: a key is shown once, its curl command works when pasted, and after Done the page contains no part of the key', async () => {
    await using tab = await openKeys((options) => openPage(browser(), webConsole, options));
    const { page } = tab;
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    const printed: string[] = [];
    page.on('console', (message) => printed.push(message.text()));
    const key = await createKey(page, 'Zapier import', ['records:read', 'records:write']);
    expect(key).toMatch(/^relata_sk_\w{38}$/);
    const dialog = page.getByRole('alertdialog', { name: 'Key created' });
    await expectLocked(page, dialog);

    const curl = (await dialog.locator('pre').textContent())!;
    await dialog.getByText('Waiting for the first use').waitFor();
    const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
    expect(JSON.parse(stdout).data).toMatchObject({ organization: { name: 'Acme' }, key: { name: 'Zapier import' } });
    await dialog.getByText('First used').waitFor({ timeout: firstUseMsMax });

    const done = dialog.getByRole('button', { name: 'Done' });
    expect(await done.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Copy' }).first().click();
    await until(async () => expect(await done.isDisabled()).toBe(false));
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await page.evaluate(() => navigator.clipboard.writeText(''));
    const later: string[] = [];
    page.on('response', async (response) => void later.push(await response.text().catch(() => '')));
    await done.click();
    await dialog.waitFor({ state: 'detached' });
    const whatIsLeft = [await leftIn(page)];
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: 'Zapier import', exact: true }).waitFor();
    whatIsLeft.push(await leftIn(page));
    await page.reload();
    await page.getByRole('cell', { name: 'Zapier import', exact: true }).waitFor();
    whatIsLeft.push(await leftIn(page));
    expect([...whatIsLeft, ...printed, ...later].filter((text) => text.includes(key.slice(10)))).toEqual([]);
    expect(later.some((text) => text.includes('Zapier import'))).toBe(true);
  });

  test('13: neither the browser profile on disk nor a restored session contains any part of a key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'relata-profile-'));
    try {
      const first = await openProfile(folder);
      const page = first.pages()[0]!;
      const [name, value] = cookie.split('=') as [string, string];
      await first.addCookies([
        { name, value, url: webConsole.url, httpOnly: true, sameSite: 'Strict', expires: inAnHour() },
      ]);
      const address = `${webConsole.url}/console/o/${webConsole.orgId}/settings/keys`;
      await page.goto(address);
      const key = await createKey(page, 'Left behind', ['records:read']);
      await store(page);
      await page.getByRole('cell', { name: 'Left behind', exact: true }).waitFor();
      await first.close();
      await using again = await openProfile(folder);
      const restored = await restoredPage(again, address);
      await restored.getByRole('cell', { name: 'Left behind', exact: true }).waitFor();
      expect(await leftIn(restored)).not.toContain(key.slice(10));
      await again.close();
      const texts = await textsIn(folder);
      // Proves that the search finds stored text: the id of the last used organization is stored.
      expect(texts.some((text) => text.includes(webConsole.orgId))).toBe(true);
      expect(texts.filter((text) => text.includes(key.slice(10)))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('16: errors are shown beside their fields, and nothing is created', async () => {
    await using tab = await openKeys(openSharedPage);
    const { page } = tab;
    const keys = async () => (await new Client(webConsole.url, cookie).get(`/orgs/${webConsole.orgId}/keys`)).body.data;
    const before = await keys();
    await page.keyboard.press('c');
    const form = page.getByRole('dialog', { name: 'Create key' });
    const send = () => form.getByRole('button', { name: 'Create key' }).click();
    await form.getByLabel('Name').fill('Wrong');
    await send();
    await form.getByRole('group', { name: 'Permissions' }).getByRole('alert').waitFor();
    await form.getByLabel('records:read').check();
    await form.getByLabel('Expires').selectOption('On a date…');
    await form.getByLabel('Expiry date').fill('2020-01-31');
    await send();
    await faultOf(form, 'Expiry date', /future/);
    await form.getByLabel('Expires').selectOption('Never');
    await form.getByLabel('Publishable').check();
    await form.getByLabel('Allowed origins').fill('https://example.com/pricing');
    await send();
    await faultOf(form, 'Allowed origins', /Did you mean https:\/\/example\.com\?/);
    expect(await form.getByLabel('Name').inputValue()).toBe('Wrong');
    expect(await keys()).toEqual(before);
  });

  test('a dialog starts with its defaults each time; a key that was rotated without an overlap is listed as inactive', async () => {
    await using tab = await openKeys(openSharedPage);
    const { page } = tab;
    for (const name of ['First', 'Second']) {
      await createKey(page, name, ['records:read']);
      await store(page);
    }
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('CLI command').click();
    const command = (await page.locator('pre').textContent())!;
    expect(command).toMatch(/--expires \d/);
    expect(command).not.toContain('--name');
    await page.keyboard.press('Escape');
    const overlap = page.getByLabel('The old key stops working');
    await act(page, 'First', 'Rotate');
    await overlap.selectOption('Immediately');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await act(page, 'Second', 'Rotate');
    expect(await overlap.inputValue()).toBe('86400');
    await overlap.selectOption('Immediately');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await store(page);
    await page.getByText('1 inactive key').waitFor();
    expect(await page.getByRole('button', { name: 'Actions for Second' }).count()).toBe(1);
  });

  test('17: after a rotation both keys work; revoking names the triggers of the key, which is refused within a second', async () => {
    await using tab = await openKeys(openSharedPage);
    const { page } = tab;
    const old = await createKey(page, 'ERP', ['records:read', 'webhook']);
    await store(page);
    await createTriggerWith(page, 'ERP');
    const row = page.getByRole('row').filter({ hasText: old.slice(-4) });
    expect(await row.getByRole('link', { name: 'ERP sync' }).getAttribute('href')).toMatch(
      /\/triggers\/[0-9a-f-]{36}$/,
    );
    await act(page, 'ERP', 'Rotate');
    await page.getByLabel('The old key stops working').selectOption('After 1 hour');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const made = page.getByRole('alertdialog', { name: 'Key rotated' });
    await made.getByText(/in (1 hour|60 min|1 h)/).waitFor();
    const replacement = (await made.getByLabel('key', { exact: true }).textContent())!;
    await store(page);
    expect([await statusOf(old), await statusOf(replacement)]).toEqual([200, 200]);

    await page.reload();
    await row.getByRole('button', { name: 'Actions for ERP' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const confirm = page.getByRole('alertdialog', { name: 'Revoke ERP' });
    await confirm.getByText('ERP sync').waitFor();
    expect(await confirm.getByRole('button', { name: 'Revoke key' }).isDisabled()).toBe(true);
    await confirm.getByLabel('to confirm').fill(old.slice(-4));
    await confirm.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('ERP revoked.').waitFor();
    await expect.poll(() => statusOf(old), { timeout: 1_000 * timeLimitFactor, interval: 50 }).toBe(401);
    expect(await statusOf(replacement)).toBe(200);
  });

  async function createTriggerWith(page: Page, key: string): Promise<void> {
    await page.goto(`${webConsole.url}/console/o/${webConsole.orgId}/triggers`);
    await page.getByRole('button', { name: 'Create trigger' }).click();
    const form = page.getByRole('dialog', { name: 'Create trigger' });
    await form.getByLabel('Name').fill('ERP sync');
    await form.getByLabel('Authentication').selectOption({ label: await labelOf(form, key) });
    await form.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByRole('region', { name: 'Set up the sender' }).waitFor();
    await page.goto(`${webConsole.url}/console/o/${webConsole.orgId}/settings/keys`);
  }
});

const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;

async function labelOf(form: Locator, key: string): Promise<string> {
  const option = form.locator('option', { hasText: `API key ${key}` });
  await option.waitFor({ state: 'attached' });
  return (await option.textContent())!;
}

/**
 * Expects that Escape, a click outside, the palette, Back and a reload do not close the dialog before the key is copied
 * or confirmed as stored.
 */
async function expectLocked(page: Page, dialog: Locator): Promise<void> {
  const done = dialog.getByRole('button', { name: 'Done' });
  await page.keyboard.press('Escape');
  const isBeside = ([x, y]: readonly [number, number]) =>
    document.elementFromPoint(x, y)?.closest('[role=alertdialog]') === null;
  expect(await page.evaluate(isBeside, [5, 400] as const)).toBe(true);
  await page.mouse.click(5, 400);
  await page.keyboard.press('Control+k');
  const { url, isKept } = await page.evaluate(leave);
  await until(async () => expect(await dialog.isVisible()).toBe(true));
  expect([await page.getByRole('combobox').count(), page.url(), isKept]).toEqual([0, url, true]);
  expect(await done.isDisabled()).toBe(true);
  await dialog.getByLabel('I have stored it').check();
  expect(await done.isDisabled()).toBe(false);
  await dialog.getByLabel('I have stored it').uncheck();
}

/**
 * Goes back, and waits until the page undoes it by going forward. Runs in the page. `isKept` is true if the page also
 * asks before it is closed or reloaded.
 */
async function leave(): Promise<{ url: string; isKept: boolean }> {
  const url = location.href;
  const isKept = !dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const popped = () => new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
  const back = popped();
  history.back();
  await back;
  if (location.href !== url) await popped();
  return { url, isKept };
}

async function faultOf(form: Locator, label: string, words: RegExp): Promise<void> {
  const field = form.getByLabel(label);
  await form.getByRole('alert').filter({ hasText: words }).waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
}

/**
 * Returns the page that the browser restored. Headless Chromium restores no session, and full Chromium may miss tabs
 * that were just closed. In these cases, opens the page in the old profile.
 */
async function restoredPage(context: BrowserContext, url: string): Promise<Page> {
  const isRestored = (page: Page) => page.url() === url;
  const mayRestore = !findChromium()!.includes('headless-shell');
  const appears = () => context.waitForEvent('page', { predicate: isRestored, timeout: 5_000 }).catch(() => undefined);
  const restored = context.pages().find(isRestored) ?? (mayRestore ? await appears() : undefined);
  if (restored) return restored;
  const page = context.pages()[0]!;
  await page.goto(url);
  return page;
}
