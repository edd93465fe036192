import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notifyKeys } from '../../../console/src/console.harness.ts';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

const lastUsed: { name: string; text: string; row?: { seconds: number } } = {
  name: 'test.session_age',
  text: `SELECT extract(epoch FROM now() - s.seen_at)::float8 AS seconds
   FROM sessions s JOIN people p ON p.id = s.person_id WHERE p.email = $1`,
};
const makeOld = {
  name: 'test.make_session_old',
  text: `UPDATE sessions SET seen_at = now() - interval '1 hour' WHERE person_id = (SELECT id FROM people WHERE email = $1)`,
};
const allChannels = { name: 'test.all_channels', text: 'SELECT c::text AS row FROM notify_channels c' };
const hourSeconds = 3_600;

describeInBrowser('Settings of an organization', (browser) => {
  let webConsole: WebConsole;
  beforeAll(async () => {
    // Streams end after 400 ms, so that they are reopened often.
    webConsole = await startWebConsole({
      changeStreams: { lastsMs: 400 },
      publicUrl: 'https://api.acme.example',
      notifyKeys,
    });
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  test('General shows name, id and addresses to everybody; a new name of the organization appears immediately', async () => {
    await using admin = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'grace@acme.example'),
    });
    await using viewer = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('viewer', 'kay@acme.example'),
    });
    for (const { open } of [admin, viewer]) await open('/settings');
    for (const { page } of [admin, viewer]) {
      await page.getByRole('heading', { name: 'General' }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/settings\/general$/);
      await page.getByText(webConsole.orgId, { exact: true }).waitFor();
      await page.getByText('https://api.acme.example/v1', { exact: true }).waitFor();
    }
    expect(await viewer.page.getByRole('textbox').count()).toBe(0);
    // Admins see the name only in the field that changes it.
    expect(await viewer.page.getByRole('definition').getByText('Acme', { exact: true }).count()).toBe(1);
    expect(await admin.page.getByRole('definition').getByText('Acme', { exact: true }).count()).toBe(0);
    expect(await viewer.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);

    const { page } = admin;
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('This field is required.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Acme Robotics');
    await page.getByRole('button', { name: 'Save name' }).click();
    // The event stream may report the new name before the response arrives, while the form is still unsaved.
    await page.getByText('Name saved.').waitFor();
    await page.getByRole('button', { name: 'Organization: Acme Robotics' }).waitFor();
    await viewer.page.getByRole('definition').getByText('Acme Robotics').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    const row = page.getByRole('row').filter({ hasText: 'organization updated' });
    expect(await row.textContent()).toMatch(/Test admin.*name Acme → Acme Robotics/);
  });

  test('the input of an admin is kept when another admin renames the organization or sets the channel', async () => {
    await using one = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'radia@acme.example'),
    });
    await using other = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'hopper@acme.example'),
    });
    for (const { open } of [one, other]) await open('/settings/general');
    await one.page.getByLabel('Name', { exact: true }).fill('Typed by one');
    await one.page.getByLabel('Webhook URL').fill('https://hooks.slack.com/services/T0/B0/typed');
    await other.page.getByLabel('Webhook URL').fill('https://hooks.slack.com/services/T0/B0/other');
    await other.page.getByRole('button', { name: 'Save channel' }).click();
    await other.page.getByText('Channel saved.').waitFor();
    await other.page.getByLabel('Name', { exact: true }).fill('Named by the other');
    await other.page.getByRole('button', { name: 'Save name' }).click();
    await one.page.getByRole('button', { name: 'Organization: Named by the other' }).waitFor();
    await one.page.getByLabel('Replace webhook URL').waitFor();
    expect(await one.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed by one');
    expect(await one.page.getByLabel('Replace webhook URL').inputValue()).toMatch(/typed$/);
    expect(await other.page.getByLabel('Replace webhook URL').inputValue()).toBe('');
    await one.page.getByRole('button', { name: 'Save name' }).click();
    await other.page.getByRole('button', { name: 'Organization: Typed by one' }).waitFor();
    const name = other.page.getByLabel('Name', { exact: true });
    await until(async () => expect(await name.inputValue()).toBe('Typed by one'));
    await name.fill('Acme');
    await other.page.getByRole('button', { name: 'Save name' }).click();
    await other.page.getByRole('button', { name: 'Remove channel' }).click();
    await other.page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await other.page.getByText('Channel removed.').waitFor();
  });

  test('an admin sets, tests and removes the channel for messages to the team, and its URL is never shown again', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'joan@acme.example'),
    });
    const { page } = tab;
    await tab.open('/settings/general');
    const panel = page.getByRole('region', { name: 'Messages to the team' });
    await panel.getByLabel('Webhook URL').fill('https://chat.example/hooks/s3cret-part-9xyz');
    await panel.getByRole('button', { name: 'Save channel' }).click();
    await panel.getByText('The host does not belong to a known chat service.').waitFor();
    await panel.getByLabel('Chat', { exact: true }).selectOption('Teams');
    await panel.getByRole('button', { name: 'Save channel' }).click();
    await panel.getByText('Teams at chat.example, URL ending in 9xyz').waitFor();
    await panel.getByText('Enabled').waitFor();
    await panel.getByRole('button', { name: 'Send test message' }).click();
    // No worker runs here, so the message is not sent.
    await panel.getByText('Test message is on its way').waitFor();
    expect(await page.content()).not.toContain('s3cret');
    expect(JSON.stringify(await webConsole.console.db.database.query(allChannels, []))).not.toContain('s3cret');
    await panel.getByRole('button', { name: 'Remove channel' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await panel.getByText('Teams at chat.example').waitFor({ state: 'detached' });
    await panel.getByLabel('Webhook URL').waitFor();
  });

  test('an unattended page continues to refresh without extending its session; input on the page extends it', async () => {
    const email = 'hedy@acme.example';
    const { database } = webConsole.console.db;
    const trigger = await webConsole.examples.trigger();
    const age = async () => (await database.query(lastUsed, [email]))[0]!.seconds;
    // Uses a new context, because a fake clock cannot be removed from a context.
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', email),
      isFresh: true,
    });
    await tab.page.clock.install();
    // The preview of this page is a POST that changes nothing.
    await tab.open(`/triggers/${trigger}`);
    await tab.page.getByRole('button', { name: 'Save mapping' }).waitFor();
    await tab.page.clock.fastForward(120_000);
    const before = tab.requests.length;
    await database.query(makeOld, [email]);
    await webConsole.examples.deliver(trigger, '{"email":"ada@acme.example"}');
    const asked = (what: RegExp) => tab.requests.slice(before).filter((request) => what.test(request)).length;
    await until(async () => {
      await tab.page.clock.runFor(3_000);
      expect(asked(/\/stream /)).toBeGreaterThan(3);
      expect(asked(/\/deliveries\?/)).toBeGreaterThan(1);
      expect(asked(/\/preview /)).toBeGreaterThan(0);
    });
    expect(await age()).toBeGreaterThan(hourSeconds - 1);
    await tab.page.mouse.move(300, 300);
    await tab.page.getByRole('link', { name: 'Triggers', exact: true }).click();
    await until(async () => expect(await age()).toBeLessThan(60));
  });
});
