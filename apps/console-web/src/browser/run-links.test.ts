import { describeInBrowser } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuns, type Runs } from '../../../console/src/runs.harness.ts';
import { startWebConsole, type WebConsole, type TestPage } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

describeInBrowser('The page of a run', (browser) => {
  let webConsole: WebConsole;
  let runs: Runs;
  let cookie: string;
  let id: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    runs = await openRuns(webConsole.console.db, webConsole.examples);
    cookie = await webConsole.join('admin', 'grace@acme.example');
    runs.respondWith({ status: 422 });
    ({ id } = await runs.run({ name: 'long', steps: longBefore(runs.notify.steps.at(-1)!) }, 'failed'));
  });
  afterAll(async () => {
    await runs[Symbol.asyncDispose]();
    await webConsole[Symbol.asyncDispose]();
  });
  const openSharedPage = sharePages(browser, () => webConsole);

  /** Enough steps to move the failed one out of view at the top of the page. */
  const longBefore = (notify: object) => [
    ...Array.from({ length: 30 }, (_, at) => ({
      id: `skipped${at}`,
      use: 'activity.create',
      when: 'false',
      with: { content: 'Never' },
    })),
    { id: 'each', use: 'for_each', with: { items: [1] }, steps: [notify] },
  ];

  async function openNote(of = id): Promise<TestPage> {
    const tab = await openSharedPage({ cookie });
    await tab.open(`/runs/${of}`);
    await noteIn(tab.page).waitFor();
    return tab;
  }
  const noteIn = (page: Page) => page.getByRole('note', { name: 'Failure' });

  test('the link to the failed step opens its workflow with the step marked and in view (found B5)', async () => {
    await using tab = await openNote();
    const { page } = tab;
    await noteIn(page).getByRole('link', { name: 'View step in v1' }).click();
    const marked = page.locator('li[aria-current=step]');
    await marked.waitFor();
    expect(await marked.innerText()).toMatch(/^notify http\.request/);
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
    const { y, height } = (await marked.boundingBox())!;
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(800);
    // Another page opens without an error.
    await tab.go('/runs');
    await page.getByRole('table', { name: 'Runs' }).waitFor();
  });

  test('the link to edit the failed step opens the definition with the line of the step selected and marked (found B5)', async () => {
    await using tab = await openNote();
    const { page } = tab;
    await noteIn(page).getByRole('link', { name: 'Edit step each.notify' }).click();
    const field = page.getByLabel('Definition (JSON)');
    await field.waitFor();
    const shown = await field.evaluate((area: HTMLTextAreaElement) => ({
      selected: area.value.slice(area.selectionStart, area.selectionEnd),
      line: area.value.slice(0, area.selectionStart).split('\n').length,
      top: area.scrollTop,
      isFocused: area === document.activeElement,
    }));
    expect(shown.selected).toBe('          "id": "notify",');
    expect(shown.isFocused).toBe(true);
    expect(shown.top).toBeGreaterThan(0);
    expect(await page.locator('pre[aria-hidden]').first().textContent()).toContain(`▸ ${shown.line}\n`);
  });

  test('the link to the mapping opens the mapping of the run’s workflow, with the run’s delivery as the sample (found B5)', async () => {
    await using tab = await openNote();
    const { page } = tab;
    const { workflow_id: workflow, delivery_id: delivery, trigger_id: trigger } = await runs.find(id);
    await noteIn(page).getByRole('link', { name: 'Fix mapping' }).click();
    await page.getByRole('textbox', { name: 'email' }).waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).toContain(`/triggers/${trigger}`);
    expect(Object.fromEntries(searchParams)).toMatchObject({ tab: 'map', workflow, delivery });
  });

  test('a run that would fail again offers no retry, and says that a retry cannot succeed (found B5)', async () => {
    const steps = [{ id: 'log', use: 'activity.create', with: { content: '${{ inputs.email.split("@")[9] }}' } }];
    const { id: hopeless } = await runs.run({ name: 'hopeless', steps }, 'failed');
    await using tab = await openNote(hopeless);
    const { page } = tab;
    await noteIn(page).getByText('A retry cannot succeed.').waitFor();
    expect(await noteIn(page).innerText()).toContain('log would fail again.');
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    await page
      .getByRole('button', { name: /Replay/ })
      .first()
      .waitFor();
    await noteIn(page).getByRole('link', { name: 'Edit step log' }).waitFor();
  });

  test('if the first steps of a run were skipped, the first step that was not skipped is open (found B16)', async () => {
    const never = { use: 'activity.create', when: 'false', with: { content: 'Never' } };
    const log = { id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } };
    const steps = [{ id: 'first', ...never }, { id: 'second', ...never }, log];
    const { id: begun } = await runs.run({ name: 'skipping', steps }, 'succeeded');
    await using tab = await openSharedPage({ cookie });
    await tab.open(`/runs/${begun}`);
    await tab.page.getByRole('region', { name: 'log', exact: true }).waitFor();
    expect(await tab.page.getByRole('region', { name: 'first', exact: true }).count()).toBe(0);
  });
});
