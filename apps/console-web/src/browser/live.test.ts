import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';
import { expectFocused, tabTo } from './harness/keyboard.harness.ts';
import { timeLimitFactor } from './harness/measure.harness.ts';

describeInBrowser('Live updates of the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  let trigger: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'ada@acme.example');
    trigger = await webConsole.examples.trigger();
    await webConsole.examples.deliveries(trigger, 20);
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');

  /** Opens a page, and waits for its event stream. */
  async function openLive(tab: TestPage, path: string): Promise<void> {
    const streaming = tab.page.waitForResponse((response) => response.url().endsWith('/stream'));
    await tab.open(path);
    expect((await streaming).status()).toBe(200);
  }

  test('a new delivery appears in the list within 1.5 s, without waiting for a poll', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    await openLive(tab, '/deliveries');
    await until(async () => expect(await rowsOf(tab.page).count()).toBeGreaterThan(19));
    for (let turn = 0; turn < 3; turn++) {
      const before = await rowsOf(tab.page).count();
      await webConsole.examples.deliveries(trigger, 1);
      await until(async () => expect(await rowsOf(tab.page).count()).toBe(before + 1), 1_500 * timeLimitFactor);
    }
  });

  test('an open Today page counts a new delivery; a dialog changes the name and the idempotency key of a trigger', async () => {
    const id = await webConsole.examples.emptyTrigger('Form');
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('');
    const came = page.getByRole('link', { name: /deliver(y|ies) in 24 hours/ });
    const before = Number.parseInt((await came.textContent())!, 10);
    await webConsole.examples.deliver(id, '{}');
    await page.getByRole('link', { name: `${before + 1} deliver` }).waitFor({ timeout: 5_000 * timeLimitFactor });

    await tab.open(`/triggers/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Form' });
    await edit.getByLabel('Name').fill('Form of the website');
    await edit.getByLabel('Idempotency key').fill('payload.');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit
      .getByRole('alert')
      .filter({ hasText: /line 1, column 9/ })
      .waitFor();
    await edit.getByLabel('Idempotency key').fill('payload.id');
    await edit.getByText('CLI command').click();
    expect(await edit.locator('pre').textContent()).toBe(
      `relata triggers update ${id} --name 'Form of the website' --repeat-key payload.id`,
    );
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Form of the website' }).waitFor();
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByText('payload.id').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('editing the idempotency key of a trigger keeps a name that somebody else has set in the meantime', async () => {
    const id = await webConsole.examples.emptyTrigger('Form');
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open(`/triggers/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Form' });
    await edit.getByLabel('Idempotency key').fill('payload.id');
    await new Browser(webConsole.url, cookie).patch(`/orgs/${webConsole.orgId}/triggers/${id}`, {
      name: 'Website form',
    });
    await page.getByRole('heading', { name: 'Website form', includeHidden: true }).waitFor();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Website form saved.').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Website form');
  });

  test('renaming a publishable key keeps origins that somebody else has set in the meantime', async () => {
    const api = new Browser(webConsole.url, cookie);
    const origins = (host: string) => ({ origins: [`https://${host}.example`] });
    const made = { kind: 'publishable', name: 'Website', scopes: ['chat'], ...origins('old') };
    const { id } = (await api.post(`/orgs/${webConsole.orgId}/keys`, made)).body.data.key;
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/settings/keys');
    await page.getByRole('button', { name: 'Actions for Website' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Website' });
    await edit.getByLabel('Name').fill('Shop');
    await edit.getByText('CLI command').click();
    expect(await edit.locator('pre').textContent()).toBe(`relata keys update ${id} --name Shop`);
    await api.patch(`/orgs/${webConsole.orgId}/keys/${id}`, origins('new'));
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    const keys = (await api.get(`/orgs/${webConsole.orgId}/keys`)).body.data as { id: string }[];
    expect(keys.find((key) => key.id === id)).toMatchObject({ name: 'Shop', ...origins('new') });
  });

  test('24: new deliveries do not move the row under the pointer or the focus; the button “2 new” shows them', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    await openLive(tab, '/deliveries');
    const link = rowsOf(tab.page).nth(2).getByRole('link').first();
    const attentions = [() => link.hover(), () => link.focus()];
    for (const attend of attentions) {
      await attend();
      const [href, top] = [await link.getAttribute('href'), (await link.boundingBox())!.y];
      await webConsole.examples.deliveries(trigger, 2);
      const bar = tab.page.getByRole('button', { name: '2 new' });
      await bar.waitFor();
      expect([await link.getAttribute('href'), (await link.boundingBox())!.y]).toEqual([href, top]);
      await bar.click();
      await until(async () => expect(await link.getAttribute('href')).not.toBe(href));
      expect(await rowsOf(tab.page).nth(4).getByRole('link').first().getAttribute('href')).toBe(href);
      await tab.page.mouse.move(0, 0);
    }
    // Now more deliveries arrive between two reads than fit on a page.
    await link.hover();
    const stored = Promise.withResolvers<void>();
    await tab.page.route('**/deliveries?*', (route) => stored.promise.then(() => route.continue()));
    await webConsole.examples.burst(trigger, 101);
    stored.resolve();
    await tab.page.getByRole('button', { name: '100+ new' }).waitFor();
  });

  test('the list and the page of a run show without a reload that somebody retried it and that it was cancelled', async () => {
    const id = await webConsole.examples.run('failed');
    await using list = await openPage(browser(), webConsole, { cookie });
    await using page = await openPage(browser(), webConsole, { cookie });
    await openLive(list, '/runs');
    await openLive(page, `/runs/${id}`);
    const shown = list.page.locator('tbody tr').filter({ has: list.page.locator(`a[href$="${id}"]`) });
    await shown.getByText('failed').waitFor();
    const another = new Browser(webConsole.url, await webConsole.join('member', 'joan@acme.example'));
    await another.send('POST', `/console/api/orgs/${webConsole.orgId}/runs/retry`, { body: { ids: [id] } });
    await shown.getByText('queued').waitFor();
    await page.page.getByRole('button', { name: 'Cancel run' }).click();
    await page.page.getByRole('alertdialog').getByRole('button', { name: 'Cancel run' }).click();
    await shown.getByText('cancelled').waitFor();
    await page.page.getByText('cancelled').first().waitFor();
    expect(await shown.count()).toBe(1);
  });

  test('an open delivery shows that its run is over, even if the event stream reports nothing', async () => {
    const { deliveries, ids } = await webConsole.examples.runs(1);
    await using tab = await openPage(browser(), webConsole, { cookie });
    await tab.page.route('**/stream', () => {});
    await tab.open(`/deliveries?id=${deliveries[0]}`);
    const detail = tab.page.getByRole('region', { name: 'Form' });
    const run = detail.getByRole('listitem').filter({ has: tab.page.locator(`a[href$="${ids[0]}"]`) });
    await run.getByText('queued').waitFor();
    await webConsole.examples.cancel(ids[0]!);
    await until(async () => expect(await run.textContent()).toContain('cancelled'));
  });

  test('a mapping can be saved while newer deliveries are checked, and at most one check runs at a time', async () => {
    const id = await webConsole.examples.trigger();
    await webConsole.examples.deliveries(id, 1);
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await openLive(tab, `/triggers/${id}`);
    await page.getByRole('textbox', { name: 'Filter' }).fill('payload.email != ""');
    const save = page.getByRole('button', { name: 'Save mapping' });
    await until(async () => expect(await save.isEnabled()).toBe(true));
    await tabTo(page, save);
    const held = Promise.withResolvers<void>();
    let checks = 0;
    await page.route('**/preview', async (route) => {
      checks++;
      await held.promise;
      await route.continue();
    });
    await webConsole.examples.deliveries(id, 1);
    await until(() => expect(checks).toBe(1));
    await webConsole.examples.deliveries(id, 1);
    await page.getByText('2 newer').waitFor();
    await expectFocused(save);
    await page.keyboard.press('Enter');
    await page.getByText('Mapping saved.').waitFor();
    expect(checks).toBe(1);
    held.resolve();
    await page.getByText('3 of the last 3 would start the workflow').waitFor();
  });

  test('a member added by a colleague appears in the settings without a reload', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    await openLive(tab, '/settings/members');
    await tab.page.getByRole('cell', { name: 'ada@acme.example' }).waitFor();
    await webConsole.join('viewer', 'late@acme.example');
    const late = tab.page.getByRole('cell', { name: 'late@acme.example' });
    await late.waitFor();
    expect(await late.count()).toBe(1);
  });

  test('60: nine tabs at once work over HTTP/1.1, and all show new deliveries', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const pages = [tab.page];
    while (pages.length < 9) pages.push(await tab.page.context().newPage());
    const address = `${webConsole.url}/console/o/${webConsole.orgId}/deliveries?trigger=${await webConsole.examples.trigger()}`;
    for (const page of pages) await page.goto(address);
    for (const page of pages) await page.getByText('No matching').waitFor();
    await webConsole.examples.deliveries(new URL(address).searchParams.get('trigger')!, 1);
    for (const page of pages) await until(async () => expect(await rowsOf(page).count()).toBe(1));
    for (const page of pages) {
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('heading', { name: 'Runs' }).waitFor();
    }
  });

  test('if the event stream is refused, lists are polled, and the stream is requested again', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    let asked = 0;
    await tab.page.route('**/stream', (route) => (asked++, route.fulfill({ status: 503 })));
    await tab.open('/deliveries');
    await until(() => expect(asked).toBeGreaterThan(0));
    await rowsOf(tab.page).first().waitFor();
    const [id] = await webConsole.examples.deliveries(trigger, 1);
    const newest = () => rowsOf(tab.page).first().getByRole('link').first().getAttribute('href');
    await until(async () => expect(await newest()).toContain(id));
    await until(() => expect(asked).toBeGreaterThan(1));
  });

  test('a hidden tab closes its event stream, and shows missed deliveries when it is visible again', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    await openLive(tab, '/deliveries');
    const newest = () => rowsOf(tab.page).first().getByRole('link').first().getAttribute('href');
    const closed = tab.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/stream'));
    const beHidden = (isHidden: boolean) =>
      tab.page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await beHidden(true);
    await closed;
    const [id] = await webConsole.examples.deliveries(trigger, 1);
    await beHidden(false);
    await until(async () => expect(await newest()).toContain(id));
  });
});
