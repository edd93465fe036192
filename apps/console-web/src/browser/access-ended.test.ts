import { createOrganization } from '@relata/auth';
import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

describeInBrowser('A removed member', (browser) => {
  let webConsole: WebConsole;
  beforeAll(async () => void (webConsole = await startWebConsole()));
  afterAll(() => webConsole[Symbol.asyncDispose]());

  const email = 'alan@acme.example';

  /** Creates another organization, and adds the member to it. */
  async function joinAnother(): Promise<void> {
    const { db } = webConsole.console;
    const { id } = await createOrganization(db.database, 'Globex');
    await letIn(id, new Browser(webConsole.url, await joinAs(db, id, 'admin', 'gus@globex.example')));
  }

  /** Adds the member to an organization. Redeeming the invitation starts a new session and ends the previous one. */
  async function letIn(orgId: string, admin: Browser): Promise<void> {
    const { data } = (await admin.post(`/orgs/${orgId}/members`, { email, role: 'viewer' })).body;
    const member = new Browser(webConsole.url, await webConsole.signIn(email));
    const entered = await member.post('/enter', { token: data.link.split('#')[1] });
    expect(entered.status, entered.text).toBe(200);
  }

  async function remove(admin: Browser): Promise<void> {
    const { data } = (await admin.get(`/orgs/${webConsole.orgId}/members`)).body;
    const { id } = data.find((member: { email: string }) => member.email === email);
    expect((await admin.post(`/orgs/${webConsole.orgId}/members/${id}/remove`)).status).toBe(200);
  }

  test('sees on the open page that access has ended, sees no more data, and can open another organization (found B11)', async () => {
    const admin = new Browser(webConsole.url, await webConsole.join('admin', 'ada@acme.example'));
    await webConsole.join('member', email);
    await joinAnother();
    await webConsole.examples.emptyTrigger('Confidential form');
    const session = await webConsole.signIn(email);
    await using tab = await openPage(browser(), webConsole, { cookie: session });
    const { page } = tab;
    await tab.open('/triggers');
    await page.getByText('Confidential form').waitFor();
    const triggersOf = async () =>
      (await new Browser(webConsole.url, session).get(`/orgs/${webConsole.orgId}/triggers`)).status;
    expect(await triggersOf()).toBe(200);
    await remove(admin);
    expect(await triggersOf()).toBe(404);
    // The page shows this without a click.
    await page.getByRole('heading', { name: 'You no longer have access to Acme' }).waitFor();
    expect(await page.content()).not.toContain('Confidential');
    expect(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain(webConsole.orgId);

    await page.getByRole('link', { name: 'Go to Globex' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    const seen: string[] = [];
    await page.exposeFunction('seen', (text: string) => void seen.push(text));
    await page.evaluate(() => {
      const watcher = new MutationObserver(() =>
        (globalThis as never as { seen(text: string): void }).seen(document.body.innerText),
      );
      watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await page.goBack();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await until(() => expect(seen.join('')).toContain('Page not found'));
    expect(seen.join('')).not.toContain('Confidential');

    // The member joins again. The list is requested but not answered, so anything shown would come from the cache.
    const asked = page.waitForRequest(/\/triggers(\?|$)/);
    await page.route('**/console/api/orgs/*/triggers*', () => undefined);
    await letIn(webConsole.orgId, admin);
    await until(async () => {
      // The signed-in person is fetched again when the window gets the focus and the data is some seconds old.
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
      expect(await page.getByRole('heading', { name: 'Triggers', exact: true }).count()).toBe(1);
    });
    await asked;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    expect(await page.content()).not.toContain('Confidential');
  });
});
