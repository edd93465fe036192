import { createHmac } from 'node:crypto';
import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser as Client } from '../../../console/src/console-client.harness.ts';
import { newSigningKeys, postAs, type SignedTrigger } from '../../../webhook-ingest/src/signed/signed.harness.ts';
import { openReceiver, post } from '../../../webhook-ingest/src/webhook-ingest.harness.ts';
import { openWorker } from '../../../workflow-worker/src/workflow-worker.harness.ts';
import type { OutputOf } from '../api/types.ts';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';
import { typeIntoShell } from './harness/journey.harness.ts';
import { expectFocused } from './harness/keyboard.harness.ts';
import { expectSound } from './harness/sound.harness.ts';

/** A secret that the sender created. */
const given = 'a-secret-of-the-sender-4711';

/** Returns a body that differs for each id, because identical signed bodies count as one delivery. */
const issueOf = (id: string) => JSON.stringify({ action: 'opened', issue: { title: 'It breaks', node_id: id } });
const workflow = {
  name: 'github-issue',
  inputs: { title: { type: 'string', required: true } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: '${{ inputs.title }}' } }],
};

describeInBrowser('Connecting a sender in the console', (browser) => {
  const stack = new AsyncDisposableStack();
  let webConsole: WebConsole;
  let receiverUrl: string;
  let cookie: string;
  beforeAll(async () => {
    const signingKeys = newSigningKeys();
    webConsole = stack.use(await startWebConsole({ signingKeys }));
    const receiver = stack.use(await openReceiver(webConsole.console.db.url, { signingKeys }));
    stack.use(await openWorker(webConsole.console.db.url));
    const shown = stack.use(await webConsole.console.startReplica({ publicUrl: receiver.url }));
    receiverUrl = receiver.url;
    webConsole = { ...webConsole, url: shown.url };
    cookie = await webConsole.join('admin', 'grace@acme.example');
    await webConsole.examples.workflow(workflow);
  });
  afterAll(() => stack.disposeAsync());

  async function sendAsGithub(triggerId: string, secret: string, id: string): Promise<number> {
    const body = issueOf(id);
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = {
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-event': 'issues',
      'x-github-delivery': id,
    };
    return (await post(receiverUrl, triggerId, { body, headers })).status;
  }

  test('the guide of a definition links to the documentation at the public URL', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    await tab.open('/workflows/new');
    const link = tab.page.getByRole('link', { name: 'Documentation of workflows' });
    expect(await link.getAttribute('href')).toBe(`${receiverUrl}/docs/workflows`);
  });

  test('a new trigger opens with its URL, secret and steps, and shows its refused and first accepted requests (found B7, B9, B10, B12, B16)', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/triggers');
    await page.getByRole('button', { name: 'Create the first trigger' }).click();
    const form = page.getByRole('dialog', { name: 'Create trigger' });
    await form.getByLabel('Name').fill('GitHub');
    await form.getByLabel('Authentication').selectOption({ label: 'GitHub' });
    await form.getByRole('button', { name: 'Create trigger' }).click();

    const shown = page.getByRole('region', { name: 'Secret of GitHub' });
    const secret = (await shown.getByLabel('secret', { exact: true }).textContent())!;
    const steps = page.getByRole('region', { name: 'Set up GitHub' });
    const triggerId = new URL(page.url()).pathname.split('/').at(-1)!;
    await steps.getByText('Payload URL').waitFor();
    expect(await steps.getByRole('link', { name: 'A workflow for each kind of sender' }).getAttribute('href')).toBe(
      `${receiverUrl}/docs/senders`,
    );
    await steps.getByText(`${receiverUrl}/webhooks/trigger/${triggerId}`).waitFor();
    await steps.getByText('application/json').waitFor();
    await steps.getByText('Waiting for the first request').waitFor();
    // Leaving the page would lose the secret, so a link only shows a warning and focuses the secret.
    const made = page.url();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('⚠ First copy the secret or confirm that you have stored it.').waitFor();
    expect(page.url()).toBe(made);
    await expectFocused(shown.getByLabel('secret', { exact: true }));
    await shown.getByLabel('I have stored it').check();
    await expectSound(page, 'a new trigger');
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    await steps.getByText('Waiting for the first request').waitFor();
    expect(await page.content()).not.toContain(secret);

    expect(await sendAsGithub(triggerId, 'not the secret', 'first')).toBe(401);
    const refused = page.getByRole('region', { name: 'Refused requests' });
    await refused.getByText(/^1 × wrong signature, last/).waitFor();
    await refused.getByText(`Check that GitHub signs with this trigger’s secret (…${secret.slice(-4)}).`).waitFor();
    await expectSound(page, 'a trigger that refused a request');

    expect(await sendAsGithub(triggerId, secret, 'second')).toBe(202);
    await steps.getByText(': last request received').waitFor();
    await steps.getByRole('list', { name: 'Steps, all done' }).waitFor();
    await steps.getByRole('link', { name: 'Map the fields' }).click();
    await page.getByLabel('Workflow').selectOption({ label: 'github-issue v1 (not assigned)' });
    await page.getByRole('list', { name: 'Body' }).getByRole('button', { name: 'title "It breaks"' }).click();
    await page.getByText('The last delivery would start the workflow').waitFor();
    await page.getByRole('button', { name: 'Save mapping' }).click();
    await page.getByText('now starts github-issue.').waitFor();

    expect(await sendAsGithub(triggerId, secret, 'third')).toBe(202);

    await page.getByRole('link', { name: 'Deliveries', exact: true }).last().click();
    const latest = page.getByRole('table', { name: 'Latest deliveries' }).locator('tbody tr');
    await latest.first().getByText('succeeded').waitFor();
    await latest.first().getByText('It breaks').waitFor();
    await latest.first().getByText('issues').waitFor();
    await latest
      .first()
      .getByText(/^\d+(\.\d)? (ms|s)$/)
      .waitFor();
    await readByKeyboard(page, tab.open);
  });

  async function readByKeyboard(page: Page, open: (path: string) => Promise<void>): Promise<void> {
    await open('/deliveries');
    const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const detail = page.getByRole('region', { name: 'GitHub' });
    await detail.waitFor();
    const isInDetail = () => page.evaluate(() => document.activeElement?.closest('section')?.ariaLabel === 'GitHub');
    await page.keyboard.press('Tab');
    await until(async () => expect(await isInDetail()).toBe(true));
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await expectFocused(rows.first().getByRole('link').first());
  }

  test('each kind of sender has its steps, which are done after the first authentic request (acceptance S.14)', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    const client = new Client(webConsole.url, cookie);
    const { data: senders } = (await client.get(`/orgs/${webConsole.orgId}/senders`)).body as OutputOf<'listSenders'>;
    await tab.open('/triggers');
    for (const { kind, maker, makes_secret: isGiven, options, setup } of senders) {
      const required = options.filter(({ is_required: isRequired }) => isRequired).map(({ name }) => [name, 'x-proof']);
      const body = { name: maker, signature: kind, ...Object.fromEntries(required), ...(isGiven && { secret: given }) };
      const response = await client.post(`/orgs/${webConsole.orgId}/triggers`, body);
      const { trigger, secret } = (response.body as OutputOf<'createTrigger'>).data;
      const spec = { kind, options: trigger.signature_options } as SignedTrigger['spec'];
      const target = { id: trigger.id, spec, secret: secret ?? given };
      expect(await postAs(target, { url: receiverUrl, body: '{}' }), kind).toBe(202);
      await tab.go(`/triggers/${trigger.id}?tab=setup`);
      await page.getByRole('heading', { name: maker, exact: true }).waitFor();
      const steps = page.getByRole('list', { name: 'Steps, all done' }).locator('> li');
      await until(async () => expect(await steps.count(), kind).toBe(setup.length));
    }
  });

  test('a sender with basic authentication is set up by keyboard; the form shows a warning and errors, and the page says why a request was refused (acceptance S.16)', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/triggers');
    await page.getByRole('button', { name: 'Create trigger' }).first().waitFor();
    await page.keyboard.press('c');
    const form = page.getByRole('dialog', { name: 'Create trigger' });
    await expectFocused(form.getByLabel('Name', { exact: true }));
    await page.keyboard.type('Old ERP');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Basic');
    await form.getByText('Anyone who reads one of its requests can send it again').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('a:b');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').filter({ hasText: 'without spaces and colons' }).waitFor();
    await expectFocused(form.getByLabel('User name'));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('erp');
    await expectSound(page, 'the form of a sender with options');
    await page.keyboard.press('Enter');

    const shown = page.getByRole('region', { name: 'Secret of Old ERP' });
    const curl = (await shown.locator('pre').textContent())!;
    const steps = page.getByRole('region', { name: 'Set up the sender' });
    await steps.getByText('erp', { exact: true }).waitFor();
    await steps.getByRole('button', { name: 'Copy secret' }).waitFor();
    const triggerId = new URL(page.url()).pathname.split('/').at(-1)!;
    const headers = { 'stripe-signature': 't=1,v1=00' };
    expect((await post(receiverUrl, triggerId, { body: '{}', headers })).status).toBe(401);
    await page.getByText("This is Stripe's signature. The trigger expects the header Authorization").waitFor();
    await typeIntoShell(curl);
    await steps.getByRole('list', { name: 'Steps, all done' }).waitFor();
    await shown.getByLabel('I have stored it').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await steps.getByRole('link', { name: 'Map the fields' }).click();
    await page.getByRole('list', { name: 'Body' }).getByText('"ada@robotics.example"').waitFor();
  });

  test('leaving the tab with an unsaved secret asks first, and the field is emptied once the secret is stored', async () => {
    const client = new Client(webConsole.url, cookie);
    const made = await client.post(`/orgs/${webConsole.orgId}/triggers`, {
      name: 'Clerk',
      signature: 'standard-webhooks',
    });
    const { trigger } = (made.body as OutputOf<'createTrigger'>).data;
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open(`/triggers/${trigger.id}?tab=setup`);
    const field = page.getByLabel('Standard Webhooks signing secret').last();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await field.fill(secret);
    await page.getByRole('link', { name: 'Secrets', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
    expect(await field.inputValue()).toBe(secret);
    await page.getByRole('button', { name: 'Store secret' }).click();
    await page.getByText('Secret stored. It replaces the previous one.').waitFor();
    await until(async () => expect(await field.inputValue()).toBe(''));
  });

  test("Meta's verify token is shown once and can be replaced, and a check with a wrong token is reported (acceptance S.15)", async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/triggers');
    await page.getByRole('button', { name: 'Create trigger' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create trigger' });
    await form.getByLabel('Name', { exact: true }).fill('Leads');
    await form.getByLabel('Authentication').selectOption({ label: 'Meta' });
    await form.getByRole('button', { name: 'Create trigger' }).click();
    const shown = page.getByRole('region', { name: 'Verify token of Leads' });
    const token = (await shown.getByLabel('verify token', { exact: true }).textContent())!;
    const triggerId = new URL(page.url()).pathname.split('/').at(-1)!;
    const check = async (given: string) => {
      const asked = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': given, 'hub.challenge': '42' });
      const response = await fetch(`${receiverUrl}/webhooks/trigger/${triggerId}?${asked}`);
      return `${response.status} ${await response.text()}`;
    };
    expect(await check(token)).toBe('200 42');
    expect(await check('another')).toBe('403 ');
    await page.getByText('URL checked with a wrong verify token').waitFor();
    await page.getByText('Requests are refused until the secret of Meta is stored.').waitFor();
    await page.getByLabel('Meta signing secret').last().fill('the-app-secret-4711');
    await page.getByRole('button', { name: 'Store secret' }).click();
    await page.getByText('Stored (…4711)').waitFor();
    await shown.getByLabel('I have stored it').check();
    await shown.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: 'Secrets', exact: true }).click();
    await page.getByRole('button', { name: 'Replace verify token' }).click();
    const asking = page.getByRole('alertdialog', { name: 'Replace the verify token?' });
    await asking.getByRole('button', { name: 'Replace verify token' }).click();
    const made = page.getByRole('alertdialog', { name: 'Verify token of Leads' });
    const newToken = (await made.getByLabel('verify token', { exact: true }).textContent())!;
    await until(async () => expect([await check(token), await check(newToken)]).toEqual(['403 ', '200 42']));
    await made.getByLabel('I have stored it').check();
    await made.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(newToken);
  });
});
