import { createOrganization } from '@relata/auth';
import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs } from '../../../console/src/console-client.harness.ts';
import { openSite, type Site, visit } from './harness/console.harness.ts';

describeInBrowser('A removed member', (browser) => {
  let site: Site;
  beforeAll(async () => void (site = await openSite()));
  afterAll(() => site[Symbol.asyncDispose]());

  const email = 'alan@acme.example';

  /** Creates another organization, and adds the member to it. */
  async function joinAnother(): Promise<void> {
    const { db } = site.console;
    const { id } = await createOrganization(db.database, 'Globex');
    await letIn(id, new Browser(site.url, await joinAs(db, id, 'admin', 'gus@globex.example')));
  }

  /** Adds the member to an organization. Redeeming the invitation starts a new session and ends the previous one. */
  async function letIn(orgId: string, admin: Browser): Promise<void> {
    const { data } = (await admin.post(`/orgs/${orgId}/members`, { email, role: 'viewer' })).body;
    const member = new Browser(site.url, await site.signIn(email));
    const entered = await member.post('/enter', { token: data.link.split('#')[1] });
    expect(entered.status, entered.text).toBe(200);
  }

  async function remove(admin: Browser): Promise<void> {
    const { data } = (await admin.get(`/orgs/${site.orgId}/members`)).body;
    const { id } = data.find((member: { email: string }) => member.email === email);
    expect((await admin.post(`/orgs/${site.orgId}/members/${id}/remove`)).status).toBe(200);
  }

  test('sees on the open page that access has ended, sees no more data, and can open another organization (found B11)', async () => {
    const admin = new Browser(site.url, await site.join('admin', 'ada@acme.example'));
    await site.join('member', email);
    await joinAnother();
    await site.examples.emptyTrigger('Confidential form');
    const session = await site.signIn(email);
    await using tab = await visit(browser(), site, { cookie: session });
    const { page } = tab;
    await tab.open('/triggers');
    await page.getByText('Confidential form').waitFor();
    const triggersOf = async () => (await new Browser(site.url, session).get(`/orgs/${site.orgId}/triggers`)).status;
    expect(await triggersOf()).toBe(200);
    await remove(admin);
    expect(await triggersOf()).toBe(404);
    // The page shows this without a click.
    await page.getByRole('heading', { name: 'You no longer have access to Acme' }).waitFor();
    expect(await page.content()).not.toContain('Confidential');
    expect(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain(site.orgId);

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
    await letIn(site.orgId, admin);
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
