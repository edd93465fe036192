import { describeInBrowser, until } from '@relata/testing';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuns, type Runs } from '../../../console/src/runs.harness.ts';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';
import { timeLimitFactor, openingMs, quickestMs } from './harness/measure.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';
import { phone } from './harness/sound.harness.ts';

const openMsMax = 1_000 * timeLimitFactor;
const nodesMax = 1_500;
/** Timeout for waiting for another system on a busy machine. */
const longMs = 150_000;

describeInBrowser('Runs in the console', (browser) => {
  let webConsole: WebConsole;
  let runs: Runs;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    runs = await openRuns(webConsole.console.db, webConsole.examples);
    cookie = await webConsole.join('member', 'grace@acme.example');
  });
  afterAll(async () => {
    await runs[Symbol.asyncDispose]();
    await webConsole[Symbol.asyncDispose]();
  });
  const openSharedPage = sharePages(browser, () => webConsole);

  const lineOf = (page: Page, path: string) =>
    page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: path });

  /** Opens a page, and returns a check that fails if the page was reloaded since. */
  async function openOnce(tab: TestPage, path: string): Promise<() => Promise<void>> {
    await tab.open(path);
    await tab.page.evaluate(() => void ((window as { once?: boolean }).once = true));
    return async () => expect(await tab.page.evaluate(() => (window as { once?: boolean }).once)).toBe(true);
  }

  const statusOf = async (id: string) => (await runs.find(id)).status;

  test(
    '30: the waterfall shows attempts, the wait and the countdown to the next attempt, and is updated live',
    async () => {
      const waitSeconds = 15;
      runs.respondWith({ status: 503, retryAfterSeconds: waitSeconds }, { status: 200 });
      const { id } = await runs.run(runs.notify, 'waiting');
      await using tab = await openSharedPage({ cookie });
      const expectNotReloaded = await openOnce(tab, `/runs/${id}`);
      const line = lineOf(tab.page, 'notify');
      await line.getByText(/retrying, attempt 2 of 5 in \d+ sec/).waitFor();
      const secondsLeft = async () => Number(/in (\d+) sec/.exec(await line.innerText())?.[1] ?? 1);
      const before = await secondsLeft();
      await until(async () => expect(await secondsLeft()).toBeLessThan(before));
      expect(await line.locator('rect[data-kind=failed]').count()).toBe(1);
      await line.getByText(/succeeded in .*, attempt 2/).waitFor();
      await expectNotReloaded();

      const boxOf = async (kind: string) => (await line.locator(`rect[data-kind=${kind}]`).boundingBox())!;
      const [failed, wait, work] = [await boxOf('failed'), await boxOf('wait'), await boxOf('work')];
      const pixelsOfASecond = wait.width / (waitSeconds + 1);
      // The wait is between the attempts and belongs to neither.
      expect(work.x - (failed.x + failed.width)).toBeGreaterThan(pixelsOfASecond * (waitSeconds - 2));
      await line.getByRole('link').click();
      const attempts = tab.page.getByRole('table', { name: 'Failed attempts' });
      await attempts.getByText('503').waitFor();
      expect(new URL(tab.page.url()).searchParams.get('step')).toBe('notify');
    },
    longMs,
  );

  test(
    'the output of an open step appears when the step is done, even if the event stream reports nothing',
    async () => {
      runs.respondWith({ status: 503, retryAfterSeconds: 10 }, { status: 200 });
      const { id } = await runs.run(runs.notify, 'waiting');
      await using tab = await openPage(browser(), webConsole, { cookie });
      await tab.page.route('**/stream', () => {});
      await tab.open(`/runs/${id}?step=notify`);
      const values = tab.page.getByRole('region', { name: 'notify', exact: true });
      const valueOf = (name: string) => values.getByRole('button', { name: new RegExp(`^${name}`) });
      await valueOf('input').waitFor();
      expect(await valueOf('output').count()).toBe(0);
      await valueOf('output').waitFor();
    },
    longMs,
  );

  test(
    '30: a run of 100 steps × 100 items opens within 1 s',
    async () => {
      const { ids } = await webConsole.examples.runs(4);
      for (const id of ids) await runs.addSteps(id);
      await webConsole.examples.succeedQueued();
      await using tab = await openSharedPage({ cookie });
      const { page } = tab;
      await tab.open('/runs');
      const quickest = await quickestMs(openMsMax, ids, async (id) => {
        await tab.go('/runs');
        await page.locator(`tr a[href$="${id}"]`).waitFor();
        return openingMs(page, `tr a[href$="${id}"]`, 'ol[aria-label=Steps]', String.raw`each\[0\]\.s9`);
      });
      expect(quickest).toBeLessThan(openMsMax);
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(nodesMax);
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await lineOf(page, 'each[99].s99').getByRole('link').click();
      await page.getByRole('region', { name: 'each[99].s99' }).getByText('From ada@acme.example').waitFor();
    },
    longMs,
  );

  test('31: the page of a failed run begins with the step, the error, the attempt, and the effect of a retry', async () => {
    runs.respondWith({ status: 422 });
    const { id } = await runs.run(runs.notify, 'failed');
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/runs/${id}`);
    const note = page.getByRole('note', { name: 'Failure' });
    await note.getByText('Failed at notify, attempt 1 of 5:').waitFor();
    const text = await note.innerText();
    expect(text).toContain((await runs.find(id)).error!.message);
    expect(text).toContain('A retry continues from notify with version');
    expect(text).toContain('sends the request again, with the same Idempotency-Key');
    expect(text).toContain('contact and log are finished and will not be repeated.');
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 320, height: 640 },
    ]) {
      await page.setViewportSize(viewport);
      const first = await page.evaluate(() => document.querySelector('main header')?.nextElementSibling?.role);
      expect(first).toBe('note');
      const { y, height } = (await note.boundingBox())!;
      expect(y + height).toBeLessThan(viewport.height);
    }
    await note.getByRole('link', { name: 'View similar failures' }).click();
    await page.locator(`tr a[href$="${id}"]`).waitFor();
  });

  test('the summary of a run is short, so that its steps are in view, and the time axis above them matches their bars', async () => {
    const steps = [{ id: 'pause', use: 'delay', with: { for: '2s' } }];
    const { id } = await runs.run({ name: 'pausing-long', steps }, 'succeeded');
    const { created_at, finished_at } = await runs.find(id);
    await using tab = await openSharedPage({ cookie });
    await tab.open(`/runs/${id}`);
    const list = tab.page.getByRole('list', { name: 'Steps' });
    await list.waitFor();
    expect((await list.boundingBox())!.y).toBeLessThan(280);
    const bars = (await lineOf(tab.page, 'pause').locator('svg').boundingBox())!;
    const wholeMs = Date.parse(finished_at!) - Date.parse(created_at);
    const ticks = await tab.page.locator('[data-tick]').all();
    expect(ticks.length).toBeGreaterThan(1);
    for (const tick of ticks) {
      const place = bars.x + (Number(await tick.getAttribute('data-tick')) / wholeMs) * bars.width;
      expect(Math.abs((await tick.boundingBox())!.x - place)).toBeLessThan(2);
    }
    expect(await ticks[1]!.innerText()).toMatch(/^\d+ (ms|s)$/);
  });

  test('55: at 320 px the steps come first, and a newly selected step scrolls into view', async () => {
    runs.respondWith({ status: 422 });
    const { id } = await runs.run(runs.notify, 'failed');
    await using tab = await openSharedPage({ cookie, viewport: phone });
    const { page } = tab;
    await tab.open(`/runs/${id}`);
    const side = page.getByRole('region', { name: 'Step details' });
    await side.waitFor();
    const line = lineOf(page, 'contact');
    expect((await line.boundingBox())!.y).toBeLessThan((await side.boundingBox())!.y);
    expect((await side.boundingBox())!.y).toBeGreaterThan(640);
    await line.getByRole('link').click();
    await page.getByRole('region', { name: 'contact', exact: true }).waitFor();
    await until(async () => expect((await side.boundingBox())!.y).toBeLessThan(320));
    await page.getByRole('button', { name: 'Back to steps' }).click();
    await until(async () => expect((await line.boundingBox())!.y).toBeGreaterThan(0));
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('contact');
  });

  test('32: Retry continues from the failed step without repeating earlier steps, and its result appears without a reload', async () => {
    runs.respondWith({ status: 422 });
    const { id, email } = await runs.run(runs.notify, 'failed');
    runs.respondWith({ status: 200 });
    const callsBefore = runs.partner.received.filter(({ body }) => body.includes(email)).length;
    await using tab = await openSharedPage({ cookie });
    const expectNotReloaded = await openOnce(tab, `/runs/${id}`);
    await tab.page.getByRole('button', { name: 'Retry from notify' }).click();
    await lineOf(tab.page, 'notify').getByText('succeeded').waitFor();
    await tab.page.getByRole('note').waitFor({ state: 'detached' });
    await expectNotReloaded();
    expect(await statusOf(id)).toBe('succeeded');
    expect(await runs.countEffects(email)).toEqual({ contacts: 1, activities: 1 });
    const calls = runs.partner.received.filter(({ body }) => body.includes(email));
    expect(calls).toHaveLength(callsBefore + 1);
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('32: Cancel ends a waiting run, which its page and the list show without a reload', async () => {
    const steps = [{ id: 'pause', use: 'delay', with: { for: '50m' } }];
    const { id } = await runs.run({ name: 'pausing', steps }, 'waiting');
    await using list = await openPage(browser(), webConsole, { cookie });
    await using tab = await openSharedPage({ cookie });
    const expectListNotReloaded = await openOnce(list, '/runs');
    const row = list.page.locator('tbody tr').filter({ has: list.page.locator(`a[href$="${id}"]`) });
    await row.getByText('waiting').waitFor();
    const expectNotReloaded = await openOnce(tab, `/runs/${id}`);
    await lineOf(tab.page, 'pause')
      .getByText(/waiting, continues in \d+ min/)
      .waitFor();
    await tab.page.getByRole('button', { name: 'Cancel run' }).click();
    await tab.page.getByRole('alertdialog').getByRole('button', { name: 'Cancel run' }).click();
    await tab.page.getByText('cancelled').first().waitFor();
    await tab.page.getByRole('button', { name: 'Cancel run' }).waitFor({ state: 'detached' });
    await row.getByText('cancelled').waitFor();
    await Promise.all([expectNotReloaded(), expectListNotReloaded()]);
    expect(await statusOf(id)).toBe('cancelled');
  });

  test('33: the list can be filtered by `retrying`, and shows the next attempt and its time', async () => {
    runs.respondWith({ status: 503, retryAfterSeconds: 1_800 });
    const steps = [{ id: 'pause', use: 'delay', with: { for: '1h' } }];
    await runs.run({ name: 'pausing', steps }, 'waiting');
    const { id } = await runs.run({ ...runs.notify, name: 'retried' }, 'waiting');
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/runs');
    const rows = page.getByRole('table', { name: 'Runs' }).locator('tbody tr');
    await page.getByLabel('Status').selectOption('retrying');
    await until(async () => expect(await rows.count()).toBe(1));
    expect(await rows.getByRole('link').first().getAttribute('href')).toContain(id);
    await rows.getByText(/retrying 2 of 5, in \d+ min/).waitFor();
    await rows.getByText('notify: ').waitFor();
    // A long status does not widen its column.
    const widthOf = async (of: Locator) => (await of.boundingBox())!.width;
    const table = page.getByRole('table', { name: 'Runs' });
    const state = table.getByRole('columnheader', { name: 'Status' });
    expect((await widthOf(state)) / (await widthOf(table))).toBeLessThan(0.15);
    await page.reload();
    await rows.getByText('retrying').waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('retrying');
    await page.getByLabel('Status').selectOption('waiting');
    await until(async () => expect(await rows.count()).toBeGreaterThan(1));
  });

  test('an address that filters by step without the status `failed` shows an error, and the filter can be cleared', async () => {
    await using tab = await openSharedPage({ cookie });
    await tab.open('/runs?status=waiting&step=notify');
    await tab.page.getByText('Can only be combined with `status=failed`').waitFor();
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByRole('table', { name: 'Runs' }).waitFor();
    expect(await tab.page.getByRole('alert').filter({ hasText: 'status=failed' }).count()).toBe(0);
  });
});
