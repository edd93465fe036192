import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser as Client } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

/** The workflow that most tests map. Its name sorts after `inbound-lead`. */
const definition = {
  name: 'web-lead',
  inputs: { email: { type: 'string', required: true }, company: { type: 'string' }, source: { type: 'string' } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } }],
};

describeInBrowser('While a colleague edits the same object', (browser) => {
  let webConsole: WebConsole;
  let colleague: Client;
  let cookie: string;
  let workflow: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'grace@acme.example');
    colleague = new Client(webConsole.url, await webConsole.join('admin', 'joan@acme.example'));
    workflow = await webConsole.examples.workflow(definition);
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  const field = (page: Page, name: string) => page.getByRole('textbox', { name });
  const valueOf = (page: Page, name: string) => field(page, name).inputValue();
  const save = (page: Page) => page.getByRole('button', { name: 'Save mapping' });

  const assign = (trigger: string, inputs: object, filter?: string) =>
    colleague.post(`/orgs/${webConsole.orgId}/triggers/${trigger}/assignments`, {
      workflow_id: workflow,
      inputs,
      ...(filter && { filter }),
    });

  async function mappingOf(trigger: string): Promise<Record<string, unknown>> {
    const { body } = await colleague.get(`/orgs/${webConsole.orgId}/triggers/${trigger}`);
    const [{ inputs, filter }] = body.data.assignments;
    return { ...inputs, filter };
  }

  /** Opens a trigger whose mapping of `email` and filter are saved. */
  async function openMapping() {
    const trigger = await webConsole.examples.emptyTrigger();
    await webConsole.examples.deliver(trigger, '{"email":"ada@acme.example","company":"Robotics"}');
    await assign(trigger, { email: 'payload.email' }, 'payload.email != ""');
    const tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/triggers/${trigger}`);
    await until(async () => expect(await valueOf(page, 'email')).toBe('payload.email'));
    return { trigger, tab, page };
  }

  test('the editor opens the version that a colleague published after the overview was read', async () => {
    const id = await webConsole.examples.workflow();
    const version = await webConsole.examples.publish({ description: 'Mine' });
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/workflows/${id}`);
    await page.getByText('Mine', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('row', { name: `Version ${version}` }).waitFor();
    await webConsole.examples.publish({ description: 'Theirs' });
    await page.getByText(`Workflow, version ${version + 1}`).waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: `Publish version ${version + 2}` }).waitFor();
    expect(await page.getByLabel('Definition (JSON)').inputValue()).toContain('Theirs');
  });

  test('saving a mapping keeps the inputs and the filter that a colleague has saved meanwhile', async () => {
    const { trigger, tab, page } = await openMapping();
    await using _tab = tab;
    await field(page, 'company').fill('payload.company');
    await assign(trigger, { email: 'payload.mail', source: 'payload.source' }, 'payload.mail != ""');
    await until(async () => expect(await valueOf(page, 'source')).toBe('payload.source'));
    expect(await valueOf(page, 'email')).toBe('payload.mail');
    expect(await valueOf(page, 'Filter')).toBe('payload.mail != ""');
    expect(await valueOf(page, 'company')).toBe('payload.company');
    await until(async () => expect(await save(page).isEnabled()).toBe(true));
    await save(page).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    const shared = { email: 'payload.mail', source: 'payload.source', filter: 'payload.mail != ""' };
    expect(await mappingOf(trigger)).toEqual({ ...shared, company: 'payload.company' });

    // Once saved, an input has no local edit, so it follows the colleague's next change.
    await field(page, 'Filter').fill('true');
    await assign(trigger, { email: 'payload.email', company: 'payload.firm' });
    await until(async () => expect(await valueOf(page, 'company')).toBe('payload.firm'));
    expect(await valueOf(page, 'Filter')).toBe('true');
  });

  test('the workflow that is being mapped stays selected when a colleague assigns one whose name comes first', async () => {
    const { trigger, tab, page } = await openMapping();
    await using _tab = tab;
    await field(page, 'Filter').fill('payload.company == ""');
    const first = { name: 'a-first', steps: definition.steps.map((step) => ({ ...step, with: { content: 'First' } })) };
    await webConsole.examples.assign(trigger, first, 'true');
    await page.getByRole('option', { name: 'a-first v1 (assigned)' }).waitFor({ state: 'attached' });
    expect(await page.getByLabel('Workflow').inputValue()).toBe(workflow);
    expect(await valueOf(page, 'Filter')).toBe('payload.company == ""');
  });
});
