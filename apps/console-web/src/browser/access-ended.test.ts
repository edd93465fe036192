import { createOrganization } from '@relata/auth';
import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs } from '../../../console/src/console-client.harness.ts';
import { openSite, type Site, visit } from './harness/console.harness.ts';

describeInBrowser('A member who is removed', (browser) => {
  let site: Site;
  beforeAll(async () => void (site = await openSite()));
  afterAll(() => site[Symbol.asyncDispose]());

  const email = 'alan@acme.example';

  /** Another organization of the signed-in member. */
  async function joinAnother(cookie: string): Promise<void> {
    const { db } = site.console;
    const { id } = await createOrganization(db.database, 'Globex');
    const admin = new Browser(site.url, await joinAs(db, id, 'admin', 'gus@globex.example'));
    const { data } = (await admin.post(`/orgs/${id}/members`, { email, role: 'viewer' })).body;
    const entered = await new Browser(site.url, cookie).post('/enter', { token: data.link.split('#')[1] });
    expect(entered.status, entered.text).toBe(200);
  }

  async function remove(admin: Browser): Promise<void> {
    const { data } = (await admin.get(`/orgs/${site.orgId}/members`)).body;
    const { id } = data.find((member: { email: string }) => member.email === email);
    expect((await admin.post(`/orgs/${site.orgId}/members/${id}/remove`)).status).toBe(200);
  }

  test('is told so on the page that is open, which keeps nothing, and can go on elsewhere (found B11)', async () => {
    const admin = new Browser(site.url, await site.join('admin', 'ada@acme.example'));
    const cookie = await site.join('member', email);
    await joinAnother(cookie);
    await site.examples.emptyTrigger('Confidential form');
    await using tab = await visit(browser(), site, { cookie: await site.signIn(email) });
    const { page } = tab;
    await tab.open('/triggers');
    await page.getByText('Confidential form').waitFor();
    await remove(admin);
    // By itself, without a click.
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
  });
});
