import { describeInBrowser } from '@relata/testing';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, test } from 'vitest';
import { goodPassword, startWebConsole, type WebConsole, type TestPage } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';
import { expectSound } from './harness/sound.harness.ts';

const email = 'grace@acme.example';

describeInBrowser('Overlays of the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  let tab: TestPage;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', email);
    await webConsole.examples.key();
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);
  beforeEach(async () => {
    tab = await openSharedPage({ cookie });
    await tab.open('/nowhere');
  });
  afterEach(() => tab[Symbol.asyncDispose]());

  const act = (name: string | RegExp) => tab.page.getByRole('button', { name, exact: true });
  const dialog = (name: string) => tab.page.getByRole('dialog', { name });
  const alertDialog = (name: string) => tab.page.getByRole('alertdialog', { name });

  async function expectSoundOnceShown(opened: Locator, name: string): Promise<void> {
    await opened.waitFor();
    await expectSound(tab.page, name);
  }

  async function leave(opened: Locator): Promise<void> {
    await tab.page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
  }

  async function chooseAct(of: string, item: string): Promise<void> {
    await act(`Actions for ${of}`).first().click();
    await tab.page.getByRole('menuitem', { name: item }).click();
  }

  async function store(): Promise<void> {
    await tab.page.getByLabel('I have stored it').check();
    await act('Done').click();
  }

  test('54, 55, 57: the palette and the help pass the same checks as the pages', async () => {
    await tab.go('/settings/keys');
    await act('Actions for Example').waitFor();
    for (const [keys, name] of [
      ['Control+k', 'Search or go to'],
      ['?', 'Keyboard shortcuts on this page'],
    ] as const) {
      await tab.page.keyboard.press(keys);
      await expectSoundOnceShown(dialog(name), name);
      await leave(dialog(name));
    }
  });

  test('54, 55, 57: the menu and the dialogs of a key pass the checks, also the one that shows a new key', async () => {
    await tab.go('/settings/keys');
    await act('Create key').click();
    const form = dialog('Create key');
    await expectSoundOnceShown(form, 'creating a key');
    await form.getByLabel('Name').fill('Zapier import');
    await form.getByLabel('records:read').check();
    await form.getByRole('button', { name: 'Create key' }).click();
    await expectSoundOnceShown(alertDialog('Key created'), 'a new key');
    await store();
    await act('Actions for Zapier import').click();
    await expectSoundOnceShown(tab.page.getByRole('menuitem', { name: 'Rotate' }), 'the menu of a key');
    await tab.page.getByRole('menuitem', { name: 'Rotate' }).click();
    await expectSoundOnceShown(dialog('Rotate Zapier import'), 'rotating a key');
    await leave(dialog('Rotate Zapier import'));
    await chooseAct('Zapier import', 'Revoke');
    await expectSoundOnceShown(alertDialog('Revoke Zapier import'), 'revoking a key');
  });

  test('54, 55, 57: the dialogs of a trigger pass the checks, and so does its page while it shows the secret', async () => {
    await tab.go('/triggers');
    await act('Create the first trigger').click();
    const form = dialog('Create trigger');
    await expectSoundOnceShown(form, 'creating a trigger');
    await form.getByLabel('Name').fill('Website form');
    await form.getByRole('button', { name: 'Create trigger' }).click();
    const made = tab.page.getByRole('region', { name: 'Secret of Website form' });
    await made.getByLabel('I have stored it').check();
    await expectSoundOnceShown(made, 'a new secret');
    await made.getByRole('button', { name: 'Done' }).click();
    await act('Edit').click();
    await expectSoundOnceShown(dialog('Edit Website form'), 'editing a trigger');
  });

  test('54, 55, 57: the dialogs that invite a member, show the link, change a role and remove a member pass the checks', async () => {
    await tab.go('/settings/members');
    await act('Invite member').click();
    const form = dialog('Invite to Acme');
    await expectSoundOnceShown(form, 'inviting a member');
    await form.getByLabel('E-mail').fill('alan@acme.example');
    await form.getByLabel('Name').fill('Alan Turing');
    await form.getByRole('button', { name: 'Create link' }).click();
    await expectSoundOnceShown(alertDialog('Invitation link for Alan Turing'), 'a new link');
    await store();
    await chooseAct('Test admin', 'Change role');
    await expectSoundOnceShown(dialog('The role of Test admin'), 'changing a role');
    await leave(dialog('The role of Test admin'));
    await chooseAct('Test admin', 'Remove');
    await expectSoundOnceShown(alertDialog('Remove Test admin'), 'removing a member');
  });

  test('54, 55, 57: the dialog that retries many runs passes the checks before and during the retry', async () => {
    const { ids } = await webConsole.examples.runs(101);
    await webConsole.examples.fail(ids, { step: 'log', code: 'bad_status', message: 'It answered 503.' });
    await tab.go('/problems');
    await act(/^Retry all 101/).click();
    const asking = alertDialog('Retry 101 runs of inbound-lead');
    await expectSoundOnceShown(asking, 'before retrying many runs');
    await asking.getByLabel('Type 101 to confirm').fill('101');
    await asking.getByRole('button', { name: 'Retry 101 runs' }).click();
    await expectSoundOnceShown(
      dialog('Retry 101 runs of inbound-lead').getByText('101 still running'),
      'while retrying many runs',
    );
  });

  test('54, 55, 57: the conflict after publishing from an outdated version and the question before leaving pass the checks', async () => {
    const id = await webConsole.examples.workflow();
    await tab.go(`/workflows/${id}/edit`);
    const field = tab.page.getByLabel('Definition (JSON)');
    await field.fill((await field.inputValue()).replace('From', 'Form of'));
    await webConsole.examples.publish({ description: 'Theirs' }, 'Why theirs');
    await act(/^Publish version/).click();
    await expectSoundOnceShown(tab.page.getByRole('alert', { name: 'Conflict' }), 'a conflict');
    await tab.page.getByRole('link', { name: 'Overview' }).click();
    const leaving = alertDialog('Discard your changes?');
    await expectSoundOnceShown(leaving, 'leaving with unsaved input');
    await leaving.getByRole('button', { name: 'Discard' }).click();
    await leaving.waitFor({ state: 'detached' });
  });

  test('54, 55, 57: the overlay to sign in again and the banner of an outage pass the checks', async () => {
    await tab.go('/settings/members');
    await act('Invite member').waitFor();
    await webConsole.endSessions(email);
    await tab.page.getByRole('link', { name: 'Audit log' }).click();
    const overlay = alertDialog('Your session has ended');
    await expectSoundOnceShown(overlay, 'signing in again');
    await overlay.getByLabel('Password').fill(goodPassword);
    await overlay.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.page.getByRole('table', { name: 'Audit events' }).waitFor();
    await tab.page.route('**/console/api/**', (route) => route.abort());
    await tab.page.getByRole('link', { name: 'API keys' }).click();
    await expectSoundOnceShown(tab.page.getByText('The server is not responding.'), 'an outage');
  });
});
