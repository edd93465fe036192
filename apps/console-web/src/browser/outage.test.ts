import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';

const keysNamed: { name: string; text: string; row?: { n: number } } = {
  name: 'test.keys_named',
  text: 'SELECT count(*)::integer AS n FROM api_keys WHERE name = $1',
};

describeInBrowser('While the service is down', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  /** The console that the tests stop and restart at the same address. */
  let served: { url: string } & AsyncDisposable;
  let port: number;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    served = await webConsole.console.startReplica();
    port = Number(new URL(served.url).port);
    cookie = await webConsole.join('admin', 'grace@acme.example');
    await webConsole.examples.key();
  });
  beforeEach(async () => {
    await stop();
    await start();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await webConsole[Symbol.asyncDispose]();
  });

  const stop = () => served[Symbol.asyncDispose]();
  const start = async () => void (served = await webConsole.console.startReplica({ port }));
  const banner = (page: Page) => page.getByText('The server is not responding.');
  const countOf = async (name: string) => (await webConsole.console.db.database.query(keysNamed, [name]))[0]!.n;

  /** Opens a tab of that console, and marks its page so that `isSamePage` detects a reload. */
  async function openTab(path: string, expected?: RegExp): Promise<TestPage> {
    const tab = await openPage(
      browser(),
      { ...webConsole, url: served.url },
      { cookie, ...(expected && { expected }) },
    );
    await tab.page.goto(`${served.url}/console/o/${webConsole.orgId}${path}`);
    await tab.page.evaluate(() => Object.assign(window, { isSame: true }));
    return tab;
  }

  const isSamePage = (page: Page) => page.evaluate(() => 'isSame' in window);

  test('59: a banner counts down and shows the age of the data, the page stays readable, actions say “not done”, and the page recovers by itself', async () => {
    await using tab = await openTab('/settings/keys');
    const { page } = tab;
    await page.getByRole('cell', { name: 'Example' }).first().waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create key' });
    await dialog.getByLabel('Name').fill('Made after all');
    await dialog.getByRole('checkbox', { name: 'records:read' }).check();
    const stoppedAt = Date.now();
    await stop();

    await banner(page).waitFor();
    const seconds = new Set<string>();
    await until(async () => {
      const [, left] = /Trying again in (\d+) s/.exec((await banner(page).textContent())!) ?? [];
      if (left) seconds.add(left);
      expect(seconds.size).toBeGreaterThan(2);
    });
    const readAt = Date.parse((await banner(page).locator('time').first().getAttribute('datetime'))!);
    expect(readAt).toBeLessThanOrEqual(stoppedAt);
    expect(stoppedAt - readAt).toBeLessThan(60_000);
    expect(await page.getByRole('cell', { name: 'Example', includeHidden: true }).first().isVisible()).toBe(true);

    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Not done: the server is not responding.').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Made after all');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByText('The server did not respond.').waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('cell', { name: 'Example' }).first().waitFor();

    await webConsole.examples.emptyTrigger('Meanwhile');
    await start();
    await banner(page).waitFor({ state: 'detached' });
    expect(await countOf('Made after all')).toBe(0);
    await page.getByRole('link', { name: 'Triggers', exact: true }).click();
    await page.getByRole('link', { name: 'Meanwhile' }).waitFor();
    expect(await isSamePage(page)).toBe(true);
  });

  test('after an outage, lists are read again, but a finished search is not repeated', async () => {
    await webConsole.examples.delivery();
    await using tab = await openTab('/deliveries?text=ada');
    const { page, requests } = tab;
    await page.getByText('Search complete: 1 delivery, 1 match.').waitFor();
    await stop();
    await banner(page).waitFor();
    requests.length = 0;
    const listed = page.waitForResponse((response) => response.url().endsWith('/triggers') && response.ok());
    await start();
    await listed;
    await banner(page).waitFor({ state: 'detached' });
    expect(requests.filter((request) => request.includes('/deliveries/search'))).toEqual([]);
    await page.getByText('Search complete: 1 delivery, 1 match.').waitFor();
  });

  test('59: once the service is back, the same button sends the kept input exactly once', async () => {
    await using tab = await openTab('/settings/keys');
    const { page } = tab;
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create key' });
    await dialog.getByLabel('Name').fill('Kept');
    await dialog.getByRole('checkbox', { name: 'records:read' }).check();
    await stop();
    await banner(page).waitFor();
    const act = dialog.getByRole('button', { name: 'Create key' });
    await act.click();
    await dialog.getByText('Not done').waitFor();
    // An action does not wait for the countdown: it probes the service immediately.
    await start();
    await act.click();
    await page.getByRole('alertdialog').getByText('relata_sk_').first().waitFor();
    expect(await countOf('Kept')).toBe(1);
    await page.getByRole('checkbox', { name: 'I have stored it' }).check();
    await page.getByRole('button', { name: 'Done' }).click();
  });

  test('59: a page whose script cannot be loaded says so within the console, and opens once the script can be loaded', async () => {
    await using tab = await openTab('', /^OtherReleaseError/);
    const { page } = tab;
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    let isAway = true;
    await page.route(/\/assets\/workflows\.page/, (route) => (isAway ? route.abort() : route.continue()));
    await stop();
    await banner(page).waitFor();
    await page.getByRole('link', { name: 'Workflows' }).click();
    await page.getByRole('heading', { name: 'Could not open this page' }).waitFor();
    expect(await isSamePage(page)).toBe(true);
    isAway = false;
    await start();
    // The whole page is reloaded only in browsers that never retry a failed script.
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
  });
});
