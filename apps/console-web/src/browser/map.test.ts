import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeInBrowser, natsUrl, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relata } from '../../../cli/src/cli.harness.ts';
import { Browser as Client } from '../../../console/src/console-client.harness.ts';
import { newSigningKeys } from '../../../webhook-ingest/src/signed/signed.harness.ts';
import { openReceiver } from '../../../webhook-ingest/src/webhook-ingest.harness.ts';
import { startWebConsole, type WebConsole } from './harness/console.harness.ts';
import { tabTo } from './harness/keyboard.harness.ts';
import { timeLimitFactor } from './harness/measure.harness.ts';
import { nameTrigger } from './harness/name-trigger.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';
import { phone } from './harness/sound.harness.ts';

const definition = {
  name: 'web-lead',
  inputs: {
    email: { type: 'string', format: 'email', required: true },
    company: { type: 'string' },
    source: { type: 'string' },
  },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } }],
};

const lead = (email: string, event = 'form.submitted') =>
  JSON.stringify({ user: { email, name: 'Ada Lovelace' }, form: { company_name: 'Robotics' }, event });

describeInBrowser('Triggers in the console', (browser) => {
  const stack = new AsyncDisposableStack();
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    const signingKeys = newSigningKeys();
    webConsole = stack.use(await startWebConsole({ signingKeys }));
    const receiver = stack.use(await openReceiver(webConsole.console.db.url, { signingKeys }));
    const shown = stack.use(await webConsole.console.startReplica({ publicUrl: receiver.url }));
    webConsole = { ...webConsole, url: shown.url };
    cookie = await webConsole.join('admin', 'grace@acme.example');
    await webConsole.examples.workflow(definition);
  });
  afterAll(() => stack.disposeAsync());
  const openSharedPage = sharePages(browser, () => webConsole);

  async function open(path: string, as = cookie) {
    const tab = await openSharedPage({ cookie: as });
    await tab.open(path);
    return tab;
  }

  async function openTrigger(...bodies: readonly string[]) {
    const id = await webConsole.examples.emptyTrigger();
    for (const body of bodies) await webConsole.examples.deliver(id, body);
    const tab = await open(`/triggers/${id}`);
    return { id, tab, page: tab.page };
  }

  const assignmentsOf = async (id: string) => {
    const { body } = await new Client(webConsole.url, cookie).get(`/orgs/${webConsole.orgId}/triggers/${id}`);
    return body.data.assignments.map(({ inputs, filter }: Record<string, unknown>) => ({ inputs, filter }));
  };

  /** Creates one key of each kind that a trigger cannot use. */
  async function makeUnfitKeys(): Promise<void> {
    const client = new Client(webConsole.url, cookie);
    const make = async (body: object) =>
      (await client.post(`/orgs/${webConsole.orgId}/keys`, { name: 'Unfit', ...body })).body.data.key.id;
    await make({ kind: 'secret', scopes: ['records:read'] });
    await make({ kind: 'publishable', scopes: ['chat'], origins: ['https://acme.example'] });
    const ended = await make({ kind: 'secret', scopes: ['webhook'] });
    await client.post(`/orgs/${webConsole.orgId}/keys/${ended}/revoke`);
  }

  const value = (page: Page, text: string) =>
    page.getByRole('list', { name: 'Body' }).getByRole('button', { name: text });
  const field = (page: Page, name: string) => page.getByRole('textbox', { name });
  const save = (page: Page) => page.getByRole('button', { name: 'Save mapping' });
  const isSaved = (page: Page) => page.getByText('now starts web-lead.').waitFor();

  test('18: the curl command of a new trigger works when pasted, and its request appears with its fields within 1.5 s', async () => {
    await using tab = await open('/triggers');
    const { page } = tab;
    await page.getByRole('button', { name: 'Create trigger' }).click();
    const curl = await nameTrigger(page, 'Website form');
    await page.getByText('No deliveries yet').waitFor();
    const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
    expect(JSON.parse(stdout)).toEqual({ received: true });
    await value(page, 'email "ada@robotics.example"').waitFor({ timeout: 1_500 * timeLimitFactor });
  });

  test('19: a mapping made by mouse, and the same one made by keyboard alone, are saved like one from the CLI', async () => {
    const wanted = {
      inputs: { email: 'payload.user.email', company: 'payload.form.company_name', source: { const: 'website' } },
      filter: 'payload.event == "form.submitted"',
    };
    {
      const { id, tab, page } = await openTrigger(lead('ada@robotics.example'));
      await using mouse = tab;
      await page.getByLabel('Workflow').selectOption({ label: 'web-lead v1 (not assigned)' });
      await value(page, 'email "ada').click();
      await value(page, 'company_name').click();
      await field(page, 'source').fill('= "website"');
      await field(page, 'Filter').click();
      await value(page, 'event "form').click();
      await page.getByText('The last delivery would start the workflow').waitFor();
      await page.getByText('"ada@robotics.example" ✓').waitFor();
      await save(page).click();
      await isSaved(page);
      expect(await assignmentsOf(id)).toEqual([wanted]);
      expect(mouse.requests.length).toBeGreaterThan(0);
    }

    const byKeys = await openTrigger(lead('ada@robotics.example'));
    await using keys = byKeys.tab;
    const { page } = keys;
    await tabTo(page, page.getByLabel('Workflow'));
    await page.keyboard.type('web-lead');
    await field(page, 'email').waitFor();
    await tabTo(page, value(page, 'payload').first(), 'Shift+Tab');
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
      await page.keyboard.press(key);
    await tabTo(page, field(page, 'source'));
    await page.keyboard.type('= website');
    await tabTo(page, field(page, 'Filter'));
    await page.keyboard.type('payload.event == "form.submitted"');
    await page.getByText('The last delivery would start the workflow').waitFor();
    await until(async () => expect(await save(page).isEnabled()).toBe(true));
    await tabTo(page, save(page));
    await page.keyboard.press('Enter');
    await isSaved(page);
    expect(await assignmentsOf(byKeys.id)).toEqual([wanted]);
  });

  test('input typed while a mapping is being saved is kept, and a large number keeps all its digits', async () => {
    const { id, tab, page } = await openTrigger('{"user":{"email":"ada@robotics.example"},"id":820982911946154508}');
    await using _tab = tab;
    await page.getByLabel('Workflow').selectOption({ label: 'web-lead v1 (not assigned)' });
    await value(page, 'email "ada').click();
    await page.getByText('The last delivery would start the workflow').waitFor();
    await page.route('**/assignments', async (route) => {
      await field(page, 'Filter').click();
      await value(page, 'id 820982911946154508').click();
      await route.continue();
    });
    await save(page).click();
    await isSaved(page);
    expect(await field(page, 'Filter').inputValue()).toBe('payload.id == 820982911946154508');
    await page.getByText('The last delivery would start the workflow').waitFor();
    await page.unroute('**/assignments');
    await until(async () => expect(await save(page).isEnabled()).toBe(true));
    await save(page).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await assignmentsOf(id)).toMatchObject([{ filter: 'payload.id == 820982911946154508' }]);
  });

  test('20: an unsaved mapping shows which deliveries it would refuse and why; it cannot be saved without required inputs', async () => {
    const { tab, page, id } = await openTrigger(
      lead('ada@robotics.example'),
      lead('nonsense'),
      lead('bob@robotics.example'),
    );
    await using _tab = tab;
    await page.getByLabel('Workflow').selectOption({ label: 'web-lead v1 (not assigned)' });
    await page.getByText('Map the required inputs first: email.').waitFor();
    expect(await save(page).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Use payload.user.email' }).click();
    await page.getByText('2 of the last 3 would start the workflow · 1 refused').waitFor();
    const refused = page.locator('[aria-label=Preview] li', { hasText: 'refused' });
    expect(await refused.textContent()).toContain('input "email" (from payload.user.email) must be an email address.');
    await refused.getByRole('button').click();
    await page.getByText('In this delivery: input "email"').waitFor();
    expect(new URL(page.url()).searchParams.get('delivery')).toBeTruthy();
    expect(await assignmentsOf(id)).toEqual([]);
    await field(page, 'company').fill('payload..x');
    await page.getByText('"company" must be mapped to a path').first().waitFor();
    expect(await save(page).isDisabled()).toBe(true);
  });

  test('21: while a filter is typed, the page says how many deliveries would start; an invalid filter shows the message of the CLI', async () => {
    const { tab, page, id } = await openTrigger(lead('a@x.example'), lead('b@x.example', 'other'), lead('c@x.example'));
    await using _tab = tab;
    await page.getByLabel('Workflow').selectOption({ label: 'web-lead v1 (not assigned)' });
    const filter = field(page, 'Filter');
    await value(page, 'email "c@').click();
    await page.getByText('3 of the last 3 would start the workflow').waitFor();
    await filter.fill('payload.event == "other"');
    await page.getByText('1 of the last 3 would start the workflow · 2 filtered').waitFor();
    await filter.fill('payload.event = "other"');
    const fault = page.getByText(/The filter is wrong: .*line 1, column 15/).first();
    await fault.waitFor();
    const args = ['triggers', 'assign', id, 'web-lead', '--input', 'email=payload.user.email'];
    const env = { DATABASE_URL: webConsole.console.db.url, NATS_URL: natsUrl() };
    const { stderr } = await relata([...args, '--filter', 'payload.event = "other"'], { env });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain((await fault.textContent())!);
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    expect(await save(page).isDisabled()).toBe(true);
    await page.getByText('3 not checked').waitFor();
  });

  test('55: at 320 px the texts of a trigger without deliveries are aligned, and the copy button is beside the URL', async () => {
    const id = await webConsole.examples.emptyTrigger();
    await using tab = await openSharedPage({ cookie, viewport: phone });
    const { page } = tab;
    await tab.open(`/triggers/${id}`);
    const leftOf = async (text: string | RegExp) => (await page.getByText(text).first().boundingBox())!.x;
    await page.getByText('No deliveries yet').waitFor();
    expect(await leftOf('No deliveries yet')).toBe(await leftOf(/Requests to this URL/));
    const url = page.getByRole('definition').filter({ hasText: `/webhooks/trigger/${id}` });
    const text = (await url.locator('code').boundingBox())!;
    const copy = (await url.getByRole('button', { name: /^Copy http/ }).boundingBox())!;
    expect(copy.x).toBeGreaterThanOrEqual(text.x + text.width);
    expect(copy.y).toBeLessThan(text.y + text.height);
  });

  test('24: the sample of a mapping stays in place when a newer delivery arrives', async () => {
    const { tab, page, id } = await openTrigger(lead('first@x.example'));
    await using _tab = tab;
    await value(page, 'email "first@x.example"').focus();
    await webConsole.examples.deliver(id, lead('second@x.example'));
    const newest = page.getByRole('button', { name: 'Show newest (1 newer)' });
    await newest.waitFor();
    expect(await value(page, 'email "first@x.example"').isVisible()).toBe(true);
    await newest.click();
    await value(page, 'email "second@x.example"').waitFor();
  });

  test('22: after a rotation both secrets are listed with their expiry; only suitable keys can be selected, and the others say why not', async () => {
    await webConsole.examples.key();
    await makeUnfitKeys();
    const id = await webConsole.examples.emptyTrigger();
    await using tab = await open(`/triggers/${id}?tab=secrets`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    const rows = page.getByRole('table', { name: 'Secrets' }).getByRole('row');
    await until(async () => expect(await rows.count()).toBe(3));
    const [, newest, rotated] = await rows.allTextContents();
    expect(newest).toContain('Never');
    // At most a second of the requested day has passed.
    expect(rotated).toMatch(/in (1 day|23 hr)/);

    await page.getByRole('button', { name: 'Use an API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Use an API key for Form' });
    const fitting = dialog.locator('option:enabled', { hasText: 'API key Example' });
    await fitting.first().waitFor({ state: 'attached' });
    const unfit = (await dialog.locator('option:disabled').allTextContents()).map((text) => text.replace(/.*…\w+/, ''));
    expect(unfit.toSorted()).toEqual([
      ' (for web pages only)',
      ' (needs the permission webhook)',
      ' (revoked or expired)',
      'Choose a key',
    ]);
    expect(await dialog.locator('option:enabled').allTextContents()).toHaveLength(1);
    await dialog.getByLabel('API key').selectOption({ label: (await fitting.first().textContent())! });
    await dialog.getByRole('button', { name: 'Use key' }).click();
    await page.getByText('API key Example').first().waitFor();
  });

  test('22: a trigger for a sender that signs is created; errors are shown beside their fields, and its secret is shown once', async () => {
    await using tab = await open('/triggers');
    const { page } = tab;
    await page.getByRole('button', { name: 'Create trigger' }).click();
    const form = page.getByRole('dialog', { name: 'Create trigger' });
    const send = () => form.getByRole('button', { name: 'Create trigger' }).click();
    await form.getByLabel('Name').fill('Payments');
    await form.getByLabel('Authentication').selectOption({ label: 'Custom HMAC' });
    await form.getByLabel('Signature header').fill('Authorization');
    await send();
    await form.getByRole('alert').filter({ hasText: 'not be a standard HTTP header' }).waitFor();
    await form.getByLabel('Authentication').selectOption({ label: 'Stripe' });
    expect(await form.getByLabel('Idempotency key').getAttribute('placeholder')).toBe('payload.id');
    await form.getByText('leave this empty and enter the secret in the next step').waitFor();
    await form.getByLabel('Authentication').selectOption({ label: 'GitHub' });
    await form.getByText('CLI command').click();
    expect(await form.locator('pre').textContent()).toContain('--name Payments --signature github');
    await send();
    const made = page.getByRole('region', { name: 'Secret of Payments' });
    expect(await made.getByLabel('secret', { exact: true }).textContent()).toMatch(/^relata_whs_/);
    await made.getByLabel('I have stored it').check();
    await made.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByText('delivery.headers["x-github-delivery"]').waitFor();
  });

  test('9, 23: a viewer sees the deliveries and mappings of a trigger but no actions; a disabled trigger says so', async () => {
    const id = await webConsole.examples.trigger();
    await webConsole.examples.deliver(id, lead('ada@x.example'));
    await new Client(webConsole.url, cookie).patch(`/orgs/${webConsole.orgId}/triggers/${id}`, { active: false });
    await using tab = await open(`/triggers/${id}`, await webConsole.join('viewer', 'vera@acme.example'));
    const { page } = tab;
    await page.getByText('"ada@x.example"').waitFor();
    await page.getByText('This trigger is disabled. Requests get 404').waitFor();
    await page.getByText('payload.email').waitFor();
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Save|Rotate|Disable|Enable|Use|Unassign/ }).count()).toBe(0);
    expect(tab.requests.filter((line) => line.includes('/preview'))).toEqual([]);
  });
});
