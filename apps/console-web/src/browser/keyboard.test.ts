import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goodPassword, openPage } from './harness/console.harness.ts';
import { expectAudit, startFullStack, typeIntoShell, webLead, type FullStack } from './harness/journey.harness.ts';
import { expectFocused, tabAndPress, tabTo } from './harness/keyboard.harness.ts';

describeInBrowser('The console by keyboard alone', (browser) => {
  let webConsole: FullStack;
  beforeAll(async () => void (webConsole = await startFullStack()));
  afterAll(() => webConsole[Symbol.asyncDispose]());

  test('56: the whole journey works by keyboard: link, key, workflow, trigger, mapping, timeline, replay, retry and audit log; the focus is always visible, and returns after dialogs', async () => {
    await using tab = await openPage(browser(), webConsole);
    const { page } = tab;
    await page.goto(await webConsole.link());
    await nextStep(page, 'Create an API key');
    await makeKey(page);
    await page.keyboard.type('gh');
    await nextStep(page, 'Publish a workflow');
    await publish(page, webConsole);
    await page.keyboard.type('gh');
    await nextStep(page, 'Create a trigger');
    const curl = await makeTrigger(page);
    await typeIntoShell(curl);
    await mapIt(page);
    await typeIntoShell(curl);
    await readTimeline(page);
    expect(webConsole.partner.taken).toEqual([sent]);

    webConsole.partner.isBroken = true;
    await replay(page);
    await findFailure(page);
    webConsole.partner.isBroken = false;
    await retry(page);
    expect(webConsole.partner.taken).toEqual([sent, sent]);

    await page.keyboard.type('gs');
    await tabAndPress(page, page.getByRole('link', { name: 'Audit log' }));
    await expectAudit(page, [
      'run retried',
      'delivery replayed',
      'trigger assigned',
      'trigger created',
      'workflow applied',
      'api key created',
      'member joined',
    ]);
    await dismissFirstSteps(page);
  });

  test('56: a person can sign in, ? lists the shortcuts of a page, the palette opens other pages, and disabled shortcuts do nothing', async () => {
    await webConsole.join('admin', 'grace@acme.example');
    await using tab = await openPage(browser(), webConsole);
    const { page } = tab;
    await tab.open('/settings/keys');
    await signIn(page);
    const create = page.getByRole('button', { name: 'Create key' });
    await tabTo(page, create);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts on this page' });
    for (const name of ['Create key', 'Go to Today', 'Next row', 'Search and commands'])
      await help.getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocused(create);

    await page.keyboard.press('Control+k');
    await expectFocused(page.getByRole('combobox', { name: 'Search or go to' }));
    // Typing `g r` into a field does not open the runs.
    await page.keyboard.type('gr you');
    expect(new URL(page.url()).pathname).toMatch(/\/settings\/keys$/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('you');
    await page.keyboard.press('Enter');
    const box = page.getByRole('checkbox', { name: /single-key shortcuts/ });
    await tabAndPress(page, box, 'Space');
    expect(await box.isChecked()).toBe(false);
    for (const keys of ['?', 'gh', 'c', 'j']) await page.keyboard.type(keys);
    await tab.open('/settings/keys');
    await create.waitFor();
    for (const keys of ['?', 'gh', 'c', 'j']) await page.keyboard.type(keys);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).pathname).toMatch(/\/settings\/keys$/);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or go to' }).waitFor();
  });
});

const sent = '{"email":"ada@robotics.example"}';

async function nextStep(page: Page, name: string): Promise<void> {
  const steps = page.getByRole('region', { name: 'First steps' });
  await tabAndPress(page, steps.locator('[data-next]').getByRole('link', { name }));
}

async function signIn(page: Page): Promise<void> {
  await expectFocused(page.getByLabel('E-mail'));
  await page.keyboard.type('grace@acme.example');
  await page.keyboard.press('Tab');
  await page.keyboard.type(goodPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
}

async function makeKey(page: Page): Promise<void> {
  await tabAndPress(page, page.getByRole('button', { name: 'Create the first key' }));
  await expectFocused(page.getByRole('dialog').getByLabel('Name'));
  await page.keyboard.type('Zapier import');
  await tabAndPress(page, page.getByLabel('records:read'), 'Space');
  await page.keyboard.press('Enter');
  await tabAndPress(page, page.getByLabel('I have stored it'), 'Space');
  // Once the list behind the dialog has this row, the button that opened the dialog no longer exists.
  await page.locator('td', { hasText: 'Zapier import' }).first().waitFor({ state: 'attached' });
  await tabAndPress(page, page.getByRole('button', { name: 'Done' }));
  await expectOnPage(page);
}

async function publish(page: Page, { partner }: FullStack): Promise<void> {
  await tabAndPress(page, page.getByRole('link', { name: 'Create the first workflow' }));
  await tabTo(page, page.getByLabel('Definition (JSON)'));
  await page.keyboard.press('Control+a');
  // Inserts the whole text at once, like pasting.
  await page.keyboard.insertText(JSON.stringify(webLead(partner)));
  await tabAndPress(page, page.getByRole('button', { name: 'Publish version 1' }));
  await page.getByRole('heading', { name: 'Version 1 published' }).waitFor();
}

/** Creates a trigger, opens it, and returns the curl command that its page shows. */
async function makeTrigger(page: Page): Promise<string> {
  await tabAndPress(page, page.getByRole('button', { name: 'Create the first trigger' }));
  await expectFocused(page.getByRole('dialog').getByLabel('Name'));
  await page.keyboard.type('Website form');
  await page.keyboard.press('Enter');
  const made = page.getByRole('region', { name: 'Secret of Website form' });
  const curl = (await made.locator('pre').textContent())!;
  await tabAndPress(page, made.getByLabel('I have stored it'), 'Space');
  await tabAndPress(page, made.getByRole('button', { name: 'Done' }));
  await tabAndPress(page, page.getByRole('link', { name: 'Listen & map' }));
  await page.getByText('No deliveries yet').waitFor();
  return curl;
}

async function mapIt(page: Page): Promise<void> {
  const body = page.getByRole('list', { name: 'Body' });
  await tabTo(page, body.getByRole('button', { name: 'payload {' }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expectFocused(body.getByRole('button', { name: 'email "ada@robotics.example"' }));
  await page.keyboard.press('Enter');
  await page.getByText('The last delivery would start the workflow').waitFor();
  const save = page.getByRole('button', { name: 'Save mapping' });
  await until(async () => expect(await save.isEnabled()).toBe(true));
  await tabAndPress(page, save);
  await page.getByText('Website form now starts web-lead.').waitFor();
}

/** Reads the newest run: the duration of each step, and the input of one step. */
async function readTimeline(page: Page): Promise<void> {
  await page.keyboard.type('gr');
  await openFirst(page, 'Runs');
  const steps = page.getByRole('region', { name: 'Steps' }).getByRole('listitem');
  for (const step of ['log', 'notify'])
    await steps
      .filter({ hasText: step })
      .getByText(/succeeded in/)
      .waitFor();
  await tabAndPress(page, steps.getByRole('link', { name: 'notify' }));
  await page.getByRole('region', { name: 'notify', exact: true }).getByText('ada@robotics.example').first().waitFor();
}

async function replay(page: Page): Promise<void> {
  await page.keyboard.type('gd');
  await openFirst(page, 'Deliveries');
  await tabAndPress(page, page.getByRole('button', { name: 'Replay' }));
  await page.getByText('1 run started.').waitFor();
}

/** Goes from Today and Problems to the failed run, which shows the reason. */
async function findFailure(page: Page): Promise<void> {
  await page.keyboard.type('gh');
  await tabAndPress(page, page.getByRole('link', { name: '1 failed run, 1 problem' }));
  await page.getByRole('button', { name: 'Retry 1 of web-lead at notify' }).waitFor();
  await openFirst(page, 'Problems');
  await page
    .getByRole('table', { name: 'Runs' })
    .getByRole('row', { name: /failed/ })
    .waitFor();
  await openFirst(page, 'Runs');
  const said = page.getByRole('note').filter({ hasText: 'Failed at notify, attempt 1 of' });
  await said.getByText('log is finished and will not be repeated.').waitFor();
}

async function retry(page: Page): Promise<void> {
  await page.keyboard.type('gp');
  const act = page.getByRole('button', { name: 'Retry 1 of web-lead at notify' });
  await tabAndPress(page, act);
  await page.getByRole('alertdialog').waitFor();
  await page.keyboard.press('Escape');
  await expectFocused(act);
  await page.keyboard.press('Enter');
  await tabAndPress(page, page.getByRole('alertdialog').getByRole('button', { name: 'Retry 1 run' }));
  await page.getByText('1 run queued: 1 succeeded, none failed again.').waitFor();
  await tabAndPress(page, page.getByRole('button', { name: 'Done' }));
  await page.getByText('No open problems').waitFor();
  await expectOnPage(page);
}

/** Dismisses the first steps before they are done, and expects that they stay dismissed (found B16). */
async function dismissFirstSteps(page: Page): Promise<void> {
  await page.keyboard.type('gh');
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.locator('[data-next]').getByRole('link', { name: 'Invite a colleague' }).waitFor();
  await page.getByRole('link', { name: '2 deliveries in 24 hours' }).waitFor();
  await page.getByRole('link', { name: '0 failed runs' }).waitFor();
  await tabAndPress(page, steps.getByRole('button', { name: 'Dismiss' }));
  await steps.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: '2 deliveries in 24 hours' }).waitFor();
  expect(await steps.count()).toBe(0);
}

/** Opens the first row of a list with `j` and Enter. */
async function openFirst(page: Page, table: string): Promise<void> {
  const rows = page.getByRole('table', { name: table }).locator('tbody tr');
  await rows.first().waitFor();
  await page.keyboard.press('j');
  await expectFocused(rows.first().getByRole('link').first());
  await page.keyboard.press('Enter');
}

/** Expects the focus on the page itself, because the element that had the focus no longer exists. */
const expectOnPage = (page: Page) =>
  until(async () => expect(await page.evaluate(() => document.activeElement?.id)).toBe('page'));
