import { createOrganization } from '@relata/auth';
import { describeInBrowser } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs } from '../../../console/src/console-client.harness.ts';
import { goodPassword, startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

const otherPassword = 'staple battery correct';

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Waits until a person is no longer listed. A dialog hides all rows, so it must be closed first. */
async function expectGone(page: Page, email: string): Promise<void> {
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await rowOf(page, email).waitFor({ state: 'detached' });
}

describeInBrowser('Members and one-time links', (browser) => {
  let webConsole: WebConsole;
  beforeAll(async () => void (webConsole = await startWebConsole()));
  afterAll(() => webConsole[Symbol.asyncDispose]());

  async function choose(page: Page, name: string, item: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
  }

  /** Invites a person, and returns the link that the dialog shows. */
  async function invite(page: Page, email: string, name: string, role: string): Promise<string> {
    await page.getByRole('button', { name: 'Invite member', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Invite to Acme' });
    await form.getByLabel('E-mail').fill(email);
    await form.getByLabel('Name').fill(name);
    await form.getByLabel('Role').selectOption(role);
    await form.getByRole('button', { name: 'Create link' }).click();
    const made = page.getByRole('alertdialog', { name: `Invitation link for ${name}` });
    // At most a second of the 72 hours has passed.
    await made.getByText(new RegExp(`joins as ${role}\\. It expires in [23] days`)).waitFor();
    const link = (await made.getByLabel('link', { exact: true }).textContent())!;
    await made.getByLabel('I have stored it').check();
    await made.getByRole('button', { name: 'Done' }).click();
    return link;
  }

  test('11, 12: an invitation works once and gives its role; a role can be changed, a member removed, and a withdrawn link no longer works', async () => {
    await using admin = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'ada@acme.example'),
    });
    await using guest = await openPage(browser(), webConsole, { locale: 'en-GB' });
    const [{ page }, { page: theirs }] = [admin, guest];
    await admin.open('/settings/members');
    const link = await invite(page, 'alan@acme.example', 'Alan Turing', 'viewer');
    const withdrawn = await invite(page, 'kurt@acme.example', 'Kurt Gödel', 'member');

    await theirs.goto(link);
    await theirs.getByRole('heading', { name: 'Join Acme' }).waitFor();
    await theirs.getByText('You are invited to Acme with the role viewer.').waitFor();
    await theirs.getByLabel('New password').fill('elevenchars');
    await theirs.getByRole('button', { name: 'Join' }).click();
    await theirs.getByRole('alert').filter({ hasText: 'Must have at least 12 characters.' }).waitFor();
    expect(await theirs.getByLabel('New password').getAttribute('aria-invalid')).toBe('true');
    await theirs.getByLabel('New password').fill(otherPassword);
    await theirs.getByRole('button', { name: 'Join' }).click();
    await theirs.getByRole('heading', { name: 'Today' }).waitFor();
    await guest.go('/settings/keys');
    await theirs.getByRole('heading', { name: 'Admins only' }).waitFor();

    await guest.go('/settings/general');
    await theirs.getByText('viewer', { exact: true }).waitFor();

    await rowOf(page, 'alan@acme.example').getByText('active').waitFor();
    await choose(page, 'Alan Turing', 'Change role');
    await page.getByRole('dialog', { name: 'The role of Alan Turing' }).getByLabel('Role').selectOption('member');
    await page.getByRole('button', { name: 'Change role' }).click();
    await rowOf(page, 'alan@acme.example').getByRole('cell', { name: 'member', exact: true }).waitFor();
    // The new role appears without a reload and without a new sign-in.
    await theirs.getByText('member', { exact: true }).waitFor();

    await choose(page, 'Alan Turing', 'Remove');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expectGone(page, 'alan@acme.example');
    await guest.open('/runs');
    await theirs.getByRole('heading', { name: 'Page not found' }).waitFor();

    await choose(page, 'Kurt Gödel', 'Withdraw invitation');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
    await expectGone(page, 'kurt@acme.example');
    for (const dead of [withdrawn, link]) {
      await theirs.goto(dead);
      await theirs.getByRole('heading', { name: 'This link was used or has expired' }).waitFor();
      await guest.open('/runs');
    }
  });

  test('11: the last admin cannot be demoted or removed, and the page says why; changing your own role takes effect immediately', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie: await webConsole.signIn('ada@acme.example') });
    const { page } = tab;
    await tab.open('/settings/members');
    const refusal = page.getByRole('alert').filter({ hasText: 'last admin' });
    const demote = async () => {
      await choose(page, 'Test admin', 'Change role');
      await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
      const response = page.waitForResponse(/\/members\/[^/]+\/role$/);
      await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
      return (await response).status();
    };
    expect(await demote()).toBe(409);
    await refusal.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await choose(page, 'Test admin', 'Remove');
    const response = page.waitForResponse(/\/members\/[^/]+\/remove$/);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    expect((await response).status()).toBe(409);
    await refusal.waitFor();
    await page.keyboard.press('Escape');

    await webConsole.join('admin', 'second@acme.example');
    await page.reload();
    await page
      .getByRole('row')
      .filter({ hasText: '(you)' })
      .getByRole('button', { name: 'Actions for Test admin' })
      .click();
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await page.getByText('This is your own role. The change takes effect immediately.').waitFor();
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('heading', { name: 'Admins only' }).waitFor();
  });

  test('12: a link to reset a password works once, and a short password is refused with a message', async () => {
    const email = 'hedy@acme.example';
    await webConsole.join('member', email);
    const link = `${webConsole.url}/console/enter#${await webConsole.examples.resetLink(email)}`;
    await using tab = await openPage(browser(), webConsole);
    const { page } = tab;
    await page.goto(link);
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    const set = async (password: string) => {
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await set('short');
    await page.getByRole('alert').filter({ hasText: 'Must have at least 12 characters.' }).waitFor();
    await set(otherPassword);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.goto(`${webConsole.url}/console/sign-in`);
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link was used or has expired' }).waitFor();

    await page.goto(`${webConsole.url}/console/sign-in`);
    const signIn = async (password: string) => {
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn(goodPassword);
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await signIn(otherPassword);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/o/${webConsole.orgId}`);
  });

  test('a password reset ends all other sessions, and ends the membership in unticked organizations (found A6)', async () => {
    const { db } = webConsole.console;
    const email = 'rosa@acme.example';
    const { id: evil } = await createOrganization(db.database, 'Evil');
    const squatter = new Browser(webConsole.url, await joinAs(db, evil, 'admin', email));
    const token = await webConsole.examples.invitation(email);
    expect((await squatter.post('/enter', { token, password: goodPassword })).status).toBe(200);
    await using tab = await openPage(browser(), webConsole);
    const { page } = tab;
    await page.goto(`${webConsole.url}/console/enter#${await webConsole.examples.resetLink(email)}`);
    await page.getByRole('group', { name: 'Remain a member of' }).waitFor();
    await page.getByText(email).waitFor();
    await page.getByRole('checkbox', { name: 'Evil, as admin' }).uncheck();
    await page.getByLabel('New password').fill(otherPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/o/${webConsole.orgId}`);
    expect((await squatter.get('/me')).status).toBe(401);
    await page.goto(`${webConsole.url}/console/o/${evil}`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test('inviting a person who is already a member says so, and opens their entry (found B15)', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'grete@acme.example'),
    });
    const { page } = tab;
    await webConsole.join('viewer', 'emmy@acme.example');
    await tab.open('/settings/members');
    await page.getByRole('button', { name: 'Invite member', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Invite to Acme' });
    await form.getByLabel('E-mail').fill('Emmy@acme.example');
    await form.getByText('is already a member with the role viewer.').waitFor();
    // If a person has joined since the list was read, the server refuses, and the form shows its message.
    await form.getByLabel('E-mail').fill('late@acme.example');
    await form.getByText('is already a member').waitFor({ state: 'detached' });
    await webConsole.join('member', 'late@acme.example');
    await form.getByRole('button', { name: 'Create link' }).click();
    await form.getByText('is already a member with the role member.').waitFor();
    await form.getByRole('button', { name: 'Open their entry' }).click();
    await page.getByRole('dialog', { name: 'The role of Test member' }).waitFor();
    expect(await form.count()).toBe(0);
  });
});
