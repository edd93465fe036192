import { createOrganization } from '@relata/auth';
import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Examples } from '../../../console/src/examples.harness.ts';
import { goodPassword, startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

describeInBrowser('Access to the console', (browser) => {
  let webConsole: WebConsole;
  beforeAll(async () => {
    webConsole = await startWebConsole();
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  test('1, 2, 4: the printed link opens Today once; its token is in no address, Referer, log or history, and scripts cannot read the cookie', async () => {
    const link = await webConsole.link();
    const token = new URL(link).hash.slice(1);
    await using tab = await openPage(browser(), webConsole);
    await tab.page.addInitScript(noteAddresses);
    await tab.page.goto(link);
    await tab.page.getByRole('heading', { name: 'Today' }).waitFor();
    await tab.page.getByRole('button', { name: 'Organization: Acme' }).waitFor();
    const entries = await tab.page.evaluate(() => [
      ...(window as unknown as { navigation: { entries(): { url: string }[] } }).navigation
        .entries()
        .map(({ url }) => url),
      JSON.stringify(history.state),
      ...(window as unknown as Noted).addresses,
    ]);
    expect([...tab.requests, ...entries, ...webConsole.logLines].filter((line) => line.includes(token))).toEqual([]);
    expect(entries.length).toBeGreaterThan(4);
    expect(tab.requests.length).toBeGreaterThan(5);
    expect(webConsole.logLines.length).toBeGreaterThan(0);

    const kept = await tab.page.context().cookies();
    const own = { httpOnly: true, sameSite: 'Strict', path: '/' };
    expect(kept).toMatchObject([
      { name: 'relata_session', ...own },
      { name: 'relata_browser', ...own },
    ]);
    expect(await tab.page.evaluate(() => document.cookie)).toBe('');

    await using again = await openPage(browser(), webConsole);
    await again.page.goto(link);
    await again.page.getByRole('heading', { name: 'This link was used or has expired' }).waitFor();
    expect(await again.page.getByRole('main').textContent()).toContain('npm start again: it prints a new link');
  });

  test('a wrong password and an unknown e-mail address get the same message; signing in then opens the requested page', async () => {
    await webConsole.join('admin', 'ada@acme.example');
    await using tab = await openPage(browser(), webConsole);
    await tab.open('/settings/members');
    const words = [];
    for (const email of ['ada@acme.example', 'nobody@acme.example']) {
      await tab.page.getByLabel('E-mail').fill(email);
      await tab.page.getByLabel('Password').fill('wrong wrong wrong');
      await tab.page.getByRole('button', { name: 'Sign in' }).click();
      words.push(await tab.page.getByRole('alert').locator('p').first().textContent());
    }
    expect(words).toEqual(Array(2).fill('The e-mail address or the password is wrong.'));
    await tab.page.getByLabel('E-mail').fill('ada@acme.example');
    await tab.page.getByLabel('Password').fill(goodPassword);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('heading', { name: 'Members' }).waitFor();
  });

  test('5: if the session has ended, the person signs in again in an overlay, and the action continues with the typed input', async () => {
    const cookie = await webConsole.join('admin', 'grace@acme.example');
    await using tab = await openPage(browser(), webConsole, { cookie });
    await tab.open('/settings/members');
    await tab.page.getByRole('button', { name: 'Invite member' }).click();
    const invite = tab.page.getByRole('dialog', { name: 'Invite to Acme' });
    await invite.getByLabel('E-mail').fill('alan@acme.example');
    await invite.getByLabel('Name').fill('Alan Turing');
    await webConsole.endSessions('grace@acme.example');
    await invite.getByRole('button', { name: 'Create link' }).click();
    const overlay = tab.page.getByRole('alertdialog', { name: 'Your session has ended' });
    // After a 204 the browser stays on the page, as if the person had chosen to stay.
    await tab.page.route('**/console/sign-in', (route) => route.fulfill({ status: 204 }));
    const left = tab.page.waitForResponse('**/console/sign-in');
    await overlay.getByRole('button', { name: 'Sign in as someone else' }).click();
    await left;
    await overlay.getByLabel('Password').fill(goodPassword);
    await overlay.getByRole('button', { name: 'Sign in', exact: true }).click();
    const made = tab.page.getByRole('alertdialog', { name: 'Invitation link for Alan Turing' });
    expect(await made.getByLabel('link', { exact: true }).textContent()).toMatch(/\/console\/enter#relata_lnk_\w+$/);
    expect(await overlay.count()).toBe(0);
  });

  test('5: an action that waits for a session is not done if another person signs in from another tab', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'lise@acme.example'),
    });
    await tab.open('/settings/members');
    await tab.page.getByRole('button', { name: 'Invite member' }).click();
    await tab.page.getByLabel('E-mail').fill('otto@acme.example');
    await webConsole.endSessions('lise@acme.example');
    await tab.page.getByRole('button', { name: 'Create link' }).click();
    await tab.page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor();
    await tab.signInAs(await webConsole.join('admin', 'irene@acme.example'));
    // The signed-in person is fetched again when the window gets the focus and the data is some seconds old.
    await until(async () => {
      await tab.page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
      expect(tab.page.url()).not.toContain('/settings/members');
    });
    await tab.page.getByRole('heading', { name: 'Today' }).waitFor();
    await tab.open('/settings/members');
    await tab.page.getByRole('cell', { name: 'irene@acme.example' }).waitFor();
    expect(await tab.page.getByText('otto@acme.example').count()).toBe(0);
  });

  test('signing out works, also if the session has already ended', async () => {
    for (const isEnded of [false, true]) {
      const cookie = isEnded
        ? await webConsole.signIn('mary@acme.example')
        : await webConsole.join('admin', 'mary@acme.example');
      await using tab = await openPage(browser(), webConsole, { cookie });
      await tab.page.goto(`${webConsole.url}/console/me`);
      await tab.page.getByRole('button', { name: /^End session|Save name/ }).waitFor();
      if (isEnded) await webConsole.endSessions('mary@acme.example');
      await tab.page.getByRole('button', { name: 'Sign out' }).click();
      await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await tab.open('');
      await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(new URL(tab.page.url()).pathname).toBe('/console/sign-in');
    }
  });

  test('a second link that is pasted into the same tab replaces the first one', async () => {
    await using tab = await openPage(browser(), webConsole);
    await tab.page.goto(`${webConsole.url}/console/enter#${await webConsole.examples.link()}`);
    await tab.page.getByRole('heading', { name: 'Set up the console' }).waitFor();
    await tab.page.goto(await webConsole.link());
    await tab.page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(tab.page.url()).toBe(`${webConsole.url}/console/o/${webConsole.orgId}`);
  });

  test('6: after “End all other sessions”, another browser must sign in at its next action', async () => {
    const first = await webConsole.join('admin', 'hedy@acme.example');
    await using one = await openPage(browser(), webConsole, { cookie: first });
    await using other = await openPage(browser(), webConsole, { cookie: await webConsole.signIn('hedy@acme.example') });
    await other.open('/settings/keys');
    await other.page.getByRole('heading', { name: 'API keys' }).waitFor();
    await one.page.goto(`${webConsole.url}/console/me`);
    await one.page.getByRole('button', { name: 'End all other sessions' }).click();
    await one.page.getByText('1 session ended.').waitFor();
    await other.page.getByRole('link', { name: 'Members' }).click();
    const overlay = other.page.getByRole('alertdialog', { name: 'Your session has ended' });
    await until(async () => expect(await overlay.isVisible()).toBe(true));
  });

  test('the password fields are emptied once the new password is saved', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('viewer', 'joan@acme.example'),
    });
    const { page } = tab;
    await page.goto(`${webConsole.url}/console/me`);
    const fields = [page.getByLabel('Current password'), page.getByLabel('New password')] as const;
    await fields[0].fill(goodPassword);
    await fields[1].fill('battery horse correct');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password saved.').waitFor();
    for (const field of fields) expect(await field.inputValue()).toBe('');
  });

  test('a page that could not be opened because of a 503 waits for its `Retry-After`, and then opens by itself', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('viewer', 'ida@acme.example'),
    });
    const asked: number[] = [];
    await tab.page.route('**/console/api/me', (route) => {
      asked.push(Date.now());
      return asked.length > 1 ? route.continue() : route.fulfill({ status: 503, headers: { 'retry-after': '6' } });
    });
    await tab.open('');
    await tab.page.getByRole('heading', { name: 'Could not open this page' }).waitFor();
    await tab.page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(asked[1]! - asked[0]!).toBeGreaterThan(5_900);
  });

  test('10: the address of another organization and of its workflow show “Page not found”', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('viewer', 'kay@acme.example'),
    });
    await tab.page.goto(`${webConsole.url}/console/o/019a1b2c-0000-7000-8000-000000000001/triggers`);
    await tab.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await tab.page.getByRole('navigation', { name: 'Sections' }).count()).toBe(0);
    const { db } = webConsole.console;
    const theirs = await new Examples(db, (await createOrganization(db.database, 'Globex')).id).workflow();
    for (const path of ['', '/versions', '/compare?a=1&b=2']) {
      await tab.open(`/workflows/${theirs}${path}`);
      await tab.page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await tab.page.getByRole('main').textContent()).not.toContain('inbound-lead');
    }
  });
});

interface Noted {
  addresses: string[];
}

/** Records the address of the page at each of its requests. */
function noteAddresses(): void {
  const noted = window as unknown as Noted;
  const ask = window.fetch;
  noted.addresses = [];
  window.fetch = (...given) => {
    noted.addresses.push(location.href);
    return ask(...given);
  };
}
