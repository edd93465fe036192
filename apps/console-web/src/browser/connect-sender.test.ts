import { createHmac } from 'node:crypto';
import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSigningKeys } from '../../../webhook-ingest/src/signed/signed.harness.ts';
import { openReceiver, post } from '../../../webhook-ingest/src/webhook-ingest.harness.ts';
import { openWorker } from '../../../workflow-worker/src/workflow-worker.harness.ts';
import { openSite, type Site, visit } from './harness/console.harness.ts';
import { expectFocused } from './harness/keyboard.harness.ts';
import { expectSound } from './harness/sound.harness.ts';

/** Signed bytes that come twice are one delivery. */
const issueOf = (id: string) => JSON.stringify({ action: 'opened', issue: { title: 'It breaks', node_id: id } });
const workflow = {
  name: 'github-issue',
  inputs: { title: { type: 'string', required: true } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: '${{ inputs.title }}' } }],
};

describeInBrowser('A sender that is connected in the console', (browser) => {
  const stack = new AsyncDisposableStack();
  let site: Site;
  let receiverUrl: string;
  let cookie: string;
  beforeAll(async () => {
    const signingKeys = newSigningKeys();
    site = stack.use(await openSite({ signingKeys }));
    const receiver = stack.use(await openReceiver(site.console.db.url, { signingKeys }));
    stack.use(await openWorker(site.console.db.url));
    const shown = stack.use(await site.console.startReplica({ publicUrl: receiver.url }));
    receiverUrl = receiver.url;
    site = { ...site, url: shown.url };
    cookie = await site.join('admin', 'grace@acme.example');
    await site.examples.workflow(workflow);
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

  test('its trigger opens with URL, secret and steps, says why a request was refused, and when the first one came (found B7, B9, B10, B12, B16)', async () => {
    await using tab = await visit(browser(), site, { cookie });
    const { page } = tab;
    await tab.open('/triggers');
    await page.getByRole('button', { name: 'Create the first trigger' }).click();
    const form = page.getByRole('dialog', { name: 'Create trigger' });
    await form.getByLabel('Name').fill('GitHub');
    await form.getByLabel('Authentication').selectOption({ label: 'GitHub signature' });
    await form.getByRole('button', { name: 'Create trigger' }).click();

    const shown = page.getByRole('region', { name: 'Secret of GitHub' });
    const secret = (await shown.getByLabel('secret', { exact: true }).textContent())!;
    await readDocumentation(page);
    const steps = page.getByRole('region', { name: 'Set up GitHub' });
    const triggerId = new URL(page.url()).pathname.split('/').at(-1)!;
    await steps.getByText('Payload URL').waitFor();
    await steps.getByText(`${receiverUrl}/webhooks/trigger/${triggerId}`).waitFor();
    await steps.getByText('application/json').waitFor();
    await steps.getByText('Waiting for the first request').waitFor();
    await shown.getByLabel('I have stored it').check();
    await expectSound(page, 'a trigger that was just made');
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    await steps.getByText('Waiting for the first request').waitFor();
    expect(await page.content()).not.toContain(secret);

    expect(await sendAsGithub(triggerId, 'not the secret', 'first')).toBe(401);
    const refused = page.getByRole('region', { name: 'Refused requests' });
    await refused.getByText(/^1 × wrong signature, last/).waitFor();
    await refused.getByText('Check that GitHub signs with this trigger’s secret.').waitFor();
    await expectSound(page, 'a trigger that refused a request');

    expect(await sendAsGithub(triggerId, secret, 'second')).toBe(202);
    await steps.getByText(': last request received').waitFor();
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

  /** Follows the link to the pages of the kinds of senders, which fit a phone. */
  async function readDocumentation(page: Page): Promise<void> {
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: /A workflow for each kind of sender/ }).click();
    const docs = await opened;
    await docs.setViewportSize({ width: 320, height: 640 });
    const width = () => docs.evaluate(() => document.documentElement.scrollWidth);
    await docs.getByRole('heading', { name: 'Kinds of senders' }).waitFor();
    expect(await width()).toBeLessThanOrEqual(320);
    await docs.getByRole('link', { name: 'standard-webhooks', exact: true }).click();
    await docs.getByRole('heading', { name: 'A user signs up' }).waitFor();
    expect(await width()).toBeLessThanOrEqual(320);
    expect(await docs.locator('main').textContent()).not.toContain('npm run generate');
    await docs.close();
  }

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
});
