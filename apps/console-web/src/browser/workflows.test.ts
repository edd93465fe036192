import { describeInBrowser } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser as Client } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

describeInBrowser('Workflows in the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'grace@acme.example');
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  /** Publishes a version of the workflow that all tests share; each test begins from its own version. */
  async function newest(changed: object): Promise<{ id: string; version: number }> {
    const id = await webConsole.examples.workflow();
    return { id, version: await webConsole.examples.publish(changed) };
  }

  async function openEditor(id: string): Promise<TestPage> {
    // The editor begins with cached data, which in a shared tab may be an earlier version.
    const tab = await openPage(browser(), webConsole, { cookie });
    await tab.open(`/workflows/${id}/edit`);
    await fieldOf(tab.page).waitFor();
    return tab;
  }

  const fieldOf = (page: Page) => page.getByLabel('Definition (JSON)');
  const textIn = (page: Page) => fieldOf(page).inputValue();

  async function change(page: Page, from: string, to: string): Promise<string> {
    const text = (await textIn(page)).replace(from, to);
    await fieldOf(page).fill(text);
    return text;
  }

  const publish = (page: Page) => page.getByRole('button', { name: /^Publish version/ }).click();
  const staleIn = (page: Page) => page.getByRole('alert', { name: 'Conflict' });

  async function definitionOf(id: string): Promise<Record<string, unknown>> {
    const { body } = await new Client(webConsole.url, cookie).get(`/orgs/${webConsole.orgId}/workflows/${id}`);
    return body.data.definition;
  }

  test('the list opens a workflow, which is shown as an outline', async () => {
    await webConsole.examples.runs(1);
    const { version } = await newest({
      description: 'Read as an outline',
      steps: [
        { id: 'log', use: 'activity.create', when: 'has(inputs.email)', with: { content: 'From ${{ inputs.email }}' } },
        {
          id: 'each',
          use: 'for_each',
          with: { items: [1, 2] },
          steps: [{ id: 'wait', use: 'delay', with: { for: '1s' }, retry: { max_attempts: 1 }, on_error: 'continue' }],
        },
      ],
      max_running: 1,
    });
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('');
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    const row = page.getByRole('row', { name: /inbound-lead/ });
    await row.waitFor();
    await row.getByRole('link', { name: 'Form' }).first().waitFor();
    expect(await row.textContent()).toContain('by Operator (CLI)');
    const runs = await row.getByRole('link', { name: '1 run of inbound-lead' }).getAttribute('href');
    expect(runs).toContain('last=day');
    await row.getByRole('link', { name: 'inbound-lead', exact: true }).click();
    const steps = page.getByRole('region', { name: 'Steps' });
    const words = await steps.textContent();
    for (const said of [
      'Condition: has(inputs.email)',
      'From ${{ inputs.email }}',
      'For each item:',
      'waitdelay',
      'At most 1 attempt.',
    ])
      expect(words!.replaceAll(/\s+/g, ' ').replace('wait delay', 'waitdelay')).toContain(said);
    expect(words).toContain('If it fails, the run continues.');
    await page.getByText(`Workflow, version ${version}`).waitFor();
    await page.getByText('CLI command').click();
    await page.getByText(/relata workflows show \S+ --version/).waitFor();
  });

  test('39: publishing from an outdated version shows both diffs; the outdated text can be published on top, and no text is lost', async () => {
    const { id, version } = await newest({ description: 'Base of mine' });
    await using tab = await openEditor(id);
    const { page } = tab;
    const mine = await change(page, 'Base of mine', 'Mine');
    await page.getByLabel('Note').fill('Why mine');
    await webConsole.examples.publish({ description: 'Theirs' }, 'Why theirs');
    await publish(page);
    const stale = staleIn(page);
    await stale.getByRole('heading', { name: `Version ${version + 1} was published in the meantime` }).waitFor();
    expect(await stale.textContent()).toContain('by Operator (CLI): Why theirs');
    expect(await textIn(page)).toBe(mine);
    await stale.getByText(`Changes in version ${version + 1}`).click();
    const theirs = stale.getByRole('region', { name: 'Their changes' });
    expect(await theirs.locator('ins').allTextContents()).toEqual([expect.stringContaining('Theirs')]);
    const ours = stale.getByRole('region', { name: 'Your changes to their version' });
    expect(await ours.locator('ins').allTextContents()).toEqual([expect.stringContaining('Mine')]);
    expect(await ours.locator('del').allTextContents()).toEqual([expect.stringContaining('Theirs')]);
    expect(await definitionOf(id)).toMatchObject({ description: 'Theirs' });

    await webConsole.examples.publish({ description: 'Theirs again' });
    const onTop = (at: number) => stale.getByRole('button', { name: `Publish mine on top of version ${at}` });
    await onTop(version + 1).click();
    await onTop(version + 2).click();
    await page.getByRole('heading', { name: `Version ${version + 3} published` }).waitFor();
    expect(await definitionOf(id)).toMatchObject({ description: 'Mine' });
    await page.getByRole('link', { name: 'Versions' }).click();
    const row = page.getByRole('row', { name: `Version ${version + 3}` });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/by Test admin.*Why mine/);
  });

  test('39: after a conflict, a person can start over from the newest version, and return to their own text', async () => {
    const { id, version } = await newest({ description: 'Base of another' });
    await using tab = await openEditor(id);
    const { page } = tab;
    const mine = await change(page, 'Base of another', 'Mine, kept');
    await webConsole.examples.publish({ description: 'Theirs, taken' });
    await publish(page);
    await staleIn(page)
      .getByRole('button', { name: `Start over from version ${version + 1}` })
      .click();
    await staleIn(page).waitFor({ state: 'detached' });
    expect(await textIn(page)).toContain('Theirs, taken');
    await page.getByRole('button', { name: 'Restore my text' }).click();
    expect(await textIn(page)).toBe(mine);
    await publish(page);
    await page.getByRole('heading', { name: `Version ${version + 2} published` }).waitFor();
    expect(await definitionOf(id)).toMatchObject({ description: 'Mine, kept' });
    await page.getByRole('button', { name: 'Edit again' }).click();
    await page.getByRole('button', { name: `Publish version ${version + 3}` }).waitFor();
    expect(await textIn(page)).toBe(mine);
  });

  test('checking and publishing list errors with links to their lines, and a definition with errors is not published', async () => {
    const { id, version } = await newest({ description: 'Without a fault' });
    await using tab = await openEditor(id);
    const { page } = tab;
    const text = await change(page, '${{ inputs.email }}', '${{ inputs.emial }}');
    const line = text.split('\n').findIndex((one) => one.includes('emial')) + 1;
    const verdict = page.getByRole('status', { name: 'Check' });
    for (const act of ['Check', `Publish version ${version + 1}`]) {
      await page.getByRole('button', { name: act, exact: true }).click();
      await verdict.getByText('1 error').waitFor();
      expect(await verdict.textContent()).toMatch(/Step 1, with\.content: .*emial/);
      expect(await page.locator('pre[aria-hidden]').first().textContent()).toContain(`✕ ${line}\n`);
      await verdict.getByRole('button', { name: `Line ${line}` }).click();
      const selected = await fieldOf(page).evaluate((field: HTMLTextAreaElement) =>
        field.value.slice(field.selectionStart, field.selectionEnd),
      );
      expect(selected).toContain('emial');
    }
    await fieldOf(page).fill('{\n  "name" 1\n}');
    await verdict.getByText('The definition changed after this check.').waitFor();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await verdict.getByRole('button', { name: 'Line 2' }).waitFor();
    expect(await definitionOf(id)).toMatchObject({ description: 'Without a fault' });
    await page.getByRole('link', { name: 'Overview' }).click();
    const leaving = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    await leaving.getByRole('button', { name: 'Keep editing' }).click();
    expect(await textIn(page)).toContain('"name" 1');
    await page.getByRole('link', { name: 'Overview' }).click();
    await leaving.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('region', { name: 'Steps' }).waitFor();
  });

  test('42: the comparison of two versions has its own address, and restoring a version publishes it as a new one', async () => {
    const { id, version } = await newest({ description: 'To be restored' });
    await webConsole.examples.publish({ description: 'In between' });
    await webConsole.examples.publish({ description: 'At the end' });
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/workflows/${id}/compare`);
    const diff = (a: number, b: number) => page.getByRole('region', { name: `From version ${a} to version ${b}` });
    await diff(version + 1, version + 2).waitFor();
    await page.getByRole('combobox', { name: 'From' }).selectOption(String(version));
    await diff(version, version + 2).waitFor();
    expect(new URL(page.url()).search).toBe(`?a=${version}&b=${version + 2}`);
    await page.reload();
    await diff(version, version + 2).waitFor();
    expect(
      await diff(version, version + 2)
        .locator('del')
        .allTextContents(),
    ).toEqual([expect.stringContaining('To be restored')]);
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('link', { name: `Restore version ${version}`, exact: true }).click();
    await page.getByText(`This is the definition of version ${version}.`).waitFor();
    await publish(page);
    await page.getByRole('heading', { name: `Version ${version + 3} published` }).waitFor();
    expect(await definitionOf(id)).toMatchObject({ description: 'To be restored' });
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('row', { name: `Restores version ${version}` }).waitFor();
  });

  test('a new workflow is published from text, an existing name is refused, and triggers that no longer fit are named', async () => {
    await webConsole.examples.trigger();
    const id = await webConsole.examples.workflow();
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/workflows');
    await page.getByRole('button', { name: 'New workflow' }).click();
    await change(page, '"inbound-lead-2"', '"inbound-lead"');
    await publish(page);
    await page.getByText(/There is a workflow inbound-lead already; .* Nothing was published/).waitFor();
    await change(page, '"inbound-lead"', '"greeting"');
    await publish(page);
    await page.getByRole('heading', { name: 'Version 1 published' }).waitFor();
    await page.getByRole('link', { name: 'View workflow' }).click();
    await page.getByRole('heading', { name: 'greeting' }).waitFor();

    await tab.open(`/workflows/${id}/edit`);
    await fieldOf(page).waitFor();
    await change(page, '"inputs": {', '"inputs": { "company": { "type": "string", "required": true },');
    await publish(page);
    const incompatible = page.getByText(/no longer fits: .*"company" is required/).first();
    await incompatible.getByRole('link', { name: 'Form' }).waitFor();
    expect(await definitionOf(id)).toMatchObject({ inputs: { company: { required: true } } });
  });

  test('a step is inserted by keyboard, and a definition with every kind of step and every example has no errors', async () => {
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/workflows/new');
    const guide = page.getByRole('region', { name: 'Help with the definition' });
    const kinds = guide.locator('summary');
    await kinds.first().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const selected = await fieldOf(page).evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    );
    expect(JSON.parse(selected)).toMatchObject({ id: 'account_create', use: 'account.create' });
    expect(await fieldOf(page).evaluate((field) => field === document.activeElement)).toBe(true);
    // Clicks by script, because moving the mouse to each of a hundred buttons would take most of the time.
    await kinds.evaluateAll((all) => all.slice(1).forEach((kind) => (kind as HTMLElement).click()));
    const inserts = guide.getByRole('button', { name: /^Insert / });
    await inserts.evaluateAll((all) => all.slice(1).forEach((insert) => (insert as HTMLElement).click()));
    const mine = await textIn(page);
    expect((JSON.parse(mine) as { steps: unknown[] }).steps).toHaveLength((await kinds.count()) + 1);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('status', { name: 'Check' }).getByText('No errors').waitFor();
    const uses = guide.getByRole('button', { name: /^Use example / });
    const examples = await uses.evaluateAll(async (all) => {
      const texts: string[] = [];
      for (const use of all) {
        (use as HTMLElement).click();
        // React renders after the task of the click.
        await scheduler.postTask(() => {});
        texts.push(document.querySelector<HTMLTextAreaElement>('textarea[data-definition]')!.value);
      }
      return texts;
    });
    expect(new Set(examples).size).toBe(examples.length);
    expect(examples.length).toBeGreaterThan(10);
    const client = new Client(webConsole.url, cookie);
    for (const text of examples) {
      const checked = await client.post(`/orgs/${webConsole.orgId}/workflows/check`, { text });
      expect(checked, text).toMatchObject({ status: 200, body: { data: { faults: [] } } });
    }
    await guide.getByRole('button', { name: 'Use example typeform-response' }).click();
    const changed = await change(page, '"typeform-response"', '"my-response"');
    await uses.first().click();
    // Restores each text that the person wrote, but no unchanged example.
    const restore = page.getByRole('button', { name: 'Restore my text' });
    await restore.click();
    expect(await textIn(page)).toBe(changed);
    await restore.click();
    expect(await textIn(page)).toBe(mine);
    expect(await restore.count()).toBe(0);
  });

  test('a definition cannot be changed while it is being published, so no input is lost when the editor closes', async () => {
    const { id } = await newest({});
    await using tab = await openEditor(id);
    const { page } = tab;
    await page.route('**/publish', async (route) => {
      await fieldOf(page).press('End');
      await page.keyboard.type('lost');
      expect(await textIn(page)).not.toContain('lost');
      await route.continue();
    });
    await change(page, '"inputs": {', '"inputs": { "note": { "type": "string" },');
    await publish(page);
    await page.getByRole('heading', { name: /^Version \d+ published$/ }).waitFor();
  });
});
