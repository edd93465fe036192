import { describeInBrowser } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { visit } from './harness/console.harness.ts';
import { besideOthers } from './harness/measure.harness.ts';
import { nameTrigger } from './harness/name-trigger.harness.ts';
import { expectAudit, openWholeSite, typeIntoShell, webLead, type WholeSite } from './harness/journey.harness.ts';

describeInBrowser('The whole journey', (browser) => {
  let site: WholeSite;
  beforeAll(async () => void (site = await openWholeSite()));
  afterAll(() => site[Symbol.asyncDispose]());

  test('a new user with the printed link goes from a key to a failure that is retried, and reads it in the audit log', async () => {
    await using tab = await visit(browser(), site);
    const { page } = tab;
    await page.goto(await site.link());
    await nextStep(page, 'Create an API key').click();
    await makeKey(page);
    await section(page, 'Today');
    await nextStep(page, 'Publish a workflow').click();
    await publish(page, site);
    await section(page, 'Today');
    await nextStep(page, 'Create a trigger').click();
    const curl = await makeTrigger(page);

    await page.getByText('No deliveries yet').waitFor();
    await typeIntoShell(curl);
    await page
      .getByRole('list', { name: 'Body' })
      .getByRole('button', { name: 'email "ada@robotics.example"' })
      .click();
    await page.getByText('The last delivery would start the workflow').waitFor();
    await page.getByRole('button', { name: 'Save mapping' }).click();
    await page.getByText('Website form now starts web-lead.').waitFor();

    await typeIntoShell(curl);
    await section(page, 'Runs');
    await page
      .getByRole('table', { name: 'Runs' })
      .getByRole('row', { name: /succeeded/ })
      .getByRole('link')
      .first()
      .click();
    const steps = page.getByRole('region', { name: 'Steps' }).getByRole('listitem');
    for (const step of ['log', 'notify'])
      await steps
        .filter({ hasText: step })
        .getByText(/succeeded in/)
        .waitFor();
    expect(site.partner.taken).toEqual(['{"email":"ada@robotics.example"}']);

    site.partner.isBroken = true;
    await typeIntoShell(curl);
    await section(page, 'Today');
    await page.getByRole('link', { name: '1 failed run, 1 problem' }).click();
    const problems = page.getByRole('table', { name: 'Problems' });
    await problems.getByRole('link', { name: 'web-lead at notify' }).click();
    await page
      .getByRole('table', { name: 'Runs' })
      .getByRole('row', { name: /failed/ })
      .getByRole('link')
      .first()
      .click();
    const said = page.getByRole('note').filter({ hasText: 'Failed at notify, attempt 1 of' });
    await said.getByText('log is finished and will not be repeated.').waitFor();

    site.partner.isBroken = false;
    await section(page, 'Problems');
    await page.getByRole('button', { name: 'Retry 1 of web-lead at notify' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retry 1 run' }).click();
    await page.getByText('1 run queued: 1 succeeded, none failed again.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('No open problems').waitFor();
    expect(site.partner.taken).toHaveLength(2);

    await section(page, 'Settings');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await expectAudit(page, [
      'run retried',
      'trigger assigned',
      'trigger created',
      'workflow applied',
      'api key created',
      'member joined',
    ]);
    await section(page, 'Today');
    await nextStep(page, 'Invite a colleague').waitFor();
    await page.getByRole('link', { name: '3 deliveries in 24 hours' }).waitFor();
    await page.getByRole('link', { name: '0 failed runs' }).waitFor();
    // It can be dismissed before it is done, and stays dismissed (found B16).
    const firstSteps = page.getByRole('region', { name: 'First steps' });
    await firstSteps.getByRole('button', { name: 'Dismiss' }).click();
    await firstSteps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: '3 deliveries in 24 hours' }).waitFor();
    expect(await firstSteps.count()).toBe(0);
  });

  test('what came in shows on Today while one looks at it, and a trigger is renamed with its repeat key', async () => {
    const id = await site.examples.emptyTrigger('Form');
    await using tab = await visit(browser(), site, { cookie: await site.join('admin', 'grace@acme.example') });
    const { page } = tab;
    await tab.open('');
    const came = page.getByRole('link', { name: /deliver(y|ies) in 24 hours/ });
    const before = Number.parseInt((await came.textContent())!, 10);
    await site.examples.deliver(id, '{}');
    await page.getByRole('link', { name: `${before + 1} deliver` }).waitFor({ timeout: 5_000 * besideOthers });

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
});

const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click();

/** Returns the first step that is not done yet and comes next. */
const nextStep = (page: Page, name: string) =>
  page.getByRole('region', { name: 'First steps' }).locator('[data-next]').getByRole('link', { name });

async function makeKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create the first key' }).click();
  const form = page.getByRole('dialog', { name: 'Create key' });
  await form.getByLabel('Name').fill('Zapier import');
  await form.getByLabel('records:read').check();
  await form.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('I have stored it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: 'Zapier import', exact: true }).waitFor();
}

async function publish(page: Page, { partner }: WholeSite): Promise<void> {
  await page.getByRole('link', { name: 'Create the first workflow' }).click();
  await page.getByLabel('Definition (JSON)').fill(JSON.stringify(webLead(partner)));
  await page.getByRole('button', { name: 'Publish version 1' }).click();
  await page.getByRole('heading', { name: 'Version 1 published' }).waitFor();
}

/** Creates a trigger with its own secret, opens it, and returns the shown command. */
async function makeTrigger(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create the first trigger' }).click();
  return nameTrigger(page, 'Website form');
}
