import { describeInBrowser, until } from '@relata/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

describeInBrowser('The search of deliveries', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  let trigger: string;
  let ada: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('viewer', 'grace@acme.example');
    trigger = await webConsole.examples.emptyTrigger();
    ada = await webConsole.examples.deliver(trigger, '{"email":"ada@acme.example","message":"We build robots."}');
    await webConsole.examples.deliver(trigger, '{"email":"bob@acme.example"}');
    await webConsole.examples.deliver(trigger, '{"mail":"eve@acme.example"}');
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  const field = (page: Page) => page.getByRole('searchbox', { name: 'Search deliveries' });
  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');

  test('27: a pasted e-mail address finds the deliveries that contain it, “Advanced” searches by an expression, and the address keeps both (found B8)', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    await field(page).fill('  Ada@ACME.example ');
    await field(page).press('Enter');
    await page.getByText('Search complete: 3 deliveries, 1 match.').waitFor();
    expect(await rowsOf(page).getByRole('link').first().getAttribute('href')).toContain(ada);
    expect(new URL(page.url()).searchParams.get('text')).toBe('Ada@ACME.example');
    const advanced = page.getByRole('button', { name: 'Advanced' });
    expect(await advanced.getAttribute('aria-pressed')).toBe('false');
    await advanced.click();
    await field(page).fill('has(payload.mail)');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('Search complete: 3 deliveries, 1 match.').waitFor();
    expect(new URL(page.url()).searchParams.get('text')).toBeNull();
    await page.reload();
    await page.getByText('Search complete: 3 deliveries, 1 match.').waitFor();
    expect(await advanced.getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    await until(async () => expect(await field(page).inputValue()).toBe('Ada@ACME.example'));
    expect(await advanced.getAttribute('aria-pressed')).toBe('false');
    await field(page).fill('nobody@acme.example');
    await field(page).press('Enter');
    await page.getByRole('link', { name: 'Show refused requests' }).waitFor();
    await expectSound(page);
  });

  test('27: a search finds deliveries by their body, shows its progress and its failures, and is kept in the address', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    await until(async () => expect(await rowsOf(page).count()).toBe(3));
    await page.keyboard.press('/');
    await page.keyboard.type('payload.email == "ada@acme.example"');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Search complete: 3 deliveries, 1 match.').waitFor();
    expect(await rowsOf(page).count()).toBe(1);
    await page.getByText('The expression failed on 1 of 3 deliveries, most recently').waitFor();
    await page.getByText('No such key: email in payload.').waitFor();
    await page.reload();
    await page.getByText('Search complete: 3 deliveries, 1 match.').waitFor();
    expect(await field(page).inputValue()).toBe('payload.email == "ada@acme.example"');
    await rowsOf(page).getByRole('link').first().click();
    await page.getByText('"We build robots."').waitFor();
    expect(new URL(page.url()).searchParams.get('id')).toBe(ada);
    expect(await rowsOf(page).count()).toBe(1);
    await page.getByText('CLI command').first().waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await until(async () => expect(await rowsOf(page).count()).toBe(3));
    expect(await field(page).inputValue()).toBe('');
  });

  test('27: an invalid expression is reported at its field, an empty result in the list, and searching again finds new deliveries', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    await page.getByRole('button', { name: 'Advanced' }).click();
    await field(page).fill('payload.email = "x"');
    await field(page).press('Enter');
    await page.getByRole('alert').getByText('Did you mean ==?').waitFor();
    expect(await field(page).getAttribute('aria-invalid')).toBe('true');
    await expectSound(page);
    await field(page).fill('has(payload.late)');
    await field(page).press('Enter');
    await page.getByText('No matching').waitFor();
    await expectSound(page);
    await webConsole.examples.deliver(trigger, '{"late":true}');
    await page.getByRole('button', { name: 'Search again' }).click();
    await until(async () => expect(await rowsOf(page).count()).toBe(1));
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('27: a long search continues by itself, then pauses until asked to continue, and says how far back it has searched', async () => {
    const other = await webConsole.examples.emptyTrigger();
    await webConsole.examples.copyDelivery(await webConsole.examples.deliver(other, '{"kind":"common"}'), 42_000);
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/deliveries?trigger=${other}&where=${encodeURIComponent('payload.kind == "rare"')}`);
    // The search pauses after 40,000 deliveries: the original and the newest 39,999 copies.
    await page.getByText(/^Searched back to .*2024.*: 40,000 deliveries, 0 matches\.$/).waitFor();
    await expectSound(page);
    const requests = tab.requests.length;
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Search complete: 42,001 deliveries, 0 matches.').waitFor();
    await page.getByText('No matching').waitFor();
    expect(tab.requests.slice(requests).filter((line) => line.includes('/deliveries/search'))).toHaveLength(3);
  });

  test('a search shows the run of a replay without being repeated, also if the delivery is closed at once', async () => {
    const { examples } = webConsole;
    const filled = await examples.trigger();
    await examples.burst(filled, 1_000);
    const delivery = await examples.deliver(filled, '{"email":"ada@acme.example"}');
    await examples.fail(await examples.replay(delivery), { code: 'timeout', message: 'It took too long.' });
    await using tab = await openSharedPage({ cookie: await webConsole.join('member', 'joan@acme.example') });
    const { page } = tab;
    const held = { page: Promise.withResolvers<void>(), replay: Promise.withResolvers<void>() };
    await page.route('**/deliveries/search', async (route) => {
      if (route.request().postDataJSON().before) await held.page.promise;
      await route.continue();
    });
    await page.route('**/replay', async (route) => {
      if (route.request().method() === 'POST') await held.replay.promise;
      await route.continue();
    });
    await tab.open(`/deliveries?trigger=${filled}&text=ada@acme.example`);
    const row = rowsOf(page).filter({ has: page.locator(`a[href*="${delivery}"]`) });
    await row.getByText('failed').waitFor();
    await row.getByRole('link').click();
    const replaying = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/replay'),
    );
    await page.getByRole('button', { name: 'Replay' }).click();
    await replaying;
    await page.getByRole('button', { name: 'Close delivery' }).click();
    held.replay.resolve();
    await row.getByText('queued').waitFor();
    held.page.resolve();
    await page.getByText('Search complete: 1,001 deliveries, 1 match.').waitFor();
    expect(await row.getByText('queued').isVisible()).toBe(true);
    await examples.succeedQueued();
    await row.getByRole('link').click();
    await page.getByRole('listitem').filter({ hasText: ', replay 2' }).getByText('succeeded').waitFor();
    // Beside the open delivery, the row shows only the newest run of a workflow.
    await row.getByText('succeeded').waitFor();
    expect(await row.innerText()).not.toMatch(/failed|\+1/);
    await page.getByRole('button', { name: 'Close delivery' }).click();
    await row.getByText('succeeded').waitFor();
    expect(tab.requests.filter((line) => line.includes('/deliveries/search'))).toHaveLength(2);
  });
});

async function expectSound(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const schemes: readonly ['light' | 'dark', axe.RunOptions][] = [
    ['light', {}],
    // Checks only the contrast here, because the schemes differ only in colours.
    ['dark', { runOnly: ['color-contrast'] }],
  ];
  for (const [colorScheme, options] of schemes) {
    await page.emulateMedia({ colorScheme });
    const faults = await page.evaluate(async (given) => {
      const { axe: loaded } = window as unknown as { axe: typeof axe };
      const { violations } = await loaded.run({ resultTypes: ['violations'], ...given });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    }, options);
    expect(faults, colorScheme).toEqual([]);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  const sideways = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  expect(sideways).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 800 });
}
