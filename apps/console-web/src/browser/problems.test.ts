import { randomUUID } from 'node:crypto';
import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

const badStatus = { code: 'bad_status', message: 'partner.example answered 503.', step: 'notify' };

describeInBrowser('Problems and filters in the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('member', 'grace@acme.example');
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  test('an empty page shows the next step and its CLI command, also to the operator of an installation without organizations', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'ada@acme.example'),
    });
    const { page } = tab;
    await tab.open('/runs');
    await page.getByRole('link', { name: 'Create the first trigger' }).waitFor();
    await page.getByText(`relata triggers create --org ${webConsole.orgId} --name NAME`).waitFor();
    const ready = await webConsole.examples.trigger();
    await page.reload();
    await page.getByRole('link', { name: 'Send a request to Form' }).waitFor();
    await page.getByText(`relata triggers test ${ready}`).waitFor();

    // Shown to operators of an installation without organizations.
    await page.route('**/console/api/me', async (route) => {
      const { data } = await (await route.fetch()).json();
      const person = { ...data.person, is_operator: true };
      await route.fulfill({ json: { data: { ...data, person, memberships: [] } } });
    });
    await page.goto(`${webConsole.url}/console/`);
    await page.getByText('relata orgs create NAME').waitFor();
    expect(await page.getByText('Ask an admin to invite you').count()).toBe(0);
    await page.unroute('**/console/api/me');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });

  test('34: failures with one cause are one row; Retry all asks once, shows its progress, and at the end the number of runs that failed again', async () => {
    const { ids } = await webConsole.examples.runs(214);
    await webConsole.examples.fail(ids, badStatus);
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/problems');
    const table = page.getByRole('table', { name: 'Problems' });
    await table.getByRole('link', { name: 'inbound-lead at notify' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    await page.getByText('Includes all 214 stored failures.').waitFor();
    await table.getByRole('button', { name: 'Retry all 214' }).click();
    const asking = page.getByRole('alertdialog', { name: 'Retry 214 runs of inbound-lead' });
    const retry = asking.getByRole('button', { name: 'Retry 214 runs' });
    expect(await retry.isDisabled()).toBe(true);
    await asking.getByText('CLI command').click();
    await asking.getByText('--step notify --code bad_status --limit 214').waitFor();
    await asking.getByLabel('Type 214 to confirm').fill('214');
    await retry.click();
    const going = page.getByRole('dialog', { name: 'Retry 214 runs of inbound-lead' });
    await going.getByText('214 runs queued: 0 succeeded, none failed again, 214 still running.').waitFor();
    await webConsole.examples.fail(ids.slice(0, 3), badStatus);
    expect(await webConsole.examples.succeedQueued()).toBe(211);
    await going.getByText('214 runs queued: 211 succeeded, 3 failed again.').waitFor();
    await going.getByRole('button', { name: 'Done' }).click();
    await table.getByRole('button', { name: 'Retry all 3' }).waitFor();
  });

  test('34: a problem links to its runs, and removing the filter by cause shows all failed runs', async () => {
    const { ids } = await webConsole.examples.runs(2);
    await webConsole.examples.fail([ids[0]!], { ...badStatus, step: 'each[7].send' });
    await webConsole.examples.fail([ids[1]!], { code: 'run_too_large', message: 'Too large.' });
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/problems');
    await page.getByRole('link', { name: 'inbound-lead at each.send' }).click();
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row');
    await until(async () => expect(await rows.count()).toBe(2));
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('failed');
    await page.getByRole('button', { name: 'Remove filter: Failed at each.send with bad_status' }).click();
    await until(async () => expect(await rows.count()).toBeGreaterThan(2));
    await page.goBack();
    await until(async () => expect(await rows.count()).toBe(2));
    await page.reload();
    await until(async () => expect(await rows.count()).toBe(2));
  });

  test('35: runs that somebody else has already retried are not retried twice, and the dialog says so', async () => {
    const { ids } = await webConsole.examples.runs(1);
    await webConsole.examples.fail(ids, { ...badStatus, code: 'timeout' });
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/problems');
    await page.getByRole('button', { name: 'Retry 1 of inbound-lead at notify, timeout' }).click();
    await webConsole.examples.requeue(ids[0]!);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retry 1 run' }).click();
    await page.getByText('No runs left to retry: somebody else already retried them.').waitFor();
    expect(await webConsole.examples.succeedQueued()).toBe(1);
  });

  test('35: a person who retries or cancels a run too late is told that somebody else was first, and nothing is done twice', async () => {
    const { ids, deliveries } = await webConsole.examples.runs(1);
    const id = ids[0]!;
    await webConsole.examples.fail(ids, badStatus);
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await page.route('**/runs/retry', (route) => webConsole.examples.requeue(id).then(() => route.continue()));
    await page.route('**/cancel', (route) => webConsole.examples.cancel(id).then(() => route.continue()));
    await tab.open(`/runs/${id}`);
    const [retry, cancel] = ['Retry', 'Cancel run'].map((name) => page.getByRole('button', { name }));
    await retry!.click();
    // The run has a new status, and therefore another button.
    await cancel!.waitFor();
    await page.getByRole('alert').filter({ hasText: 'Somebody else retried this run first' }).waitFor();
    expect(await retry!.count()).toBe(0);
    await cancel!.click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel run' }).click();
    await cancel!.waitFor({ state: 'detached' });
    await page.getByRole('alert').filter({ hasText: 'Somebody else already cancelled this run.' }).waitFor();
    expect(await webConsole.examples.succeedQueued()).toBe(0);

    await page.getByRole('button', { name: 'Replay delivery' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay delivery' });
    await dialog.getByRole('list', { name: 'Replay preview' }).getByText('inbound-lead v1').waitFor();
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByRole('list', { name: 'Replay result' }).getByRole('link').click();
    await page.getByText(', replay 1').waitFor();
    const { runs } = await webConsole.examples.stored(deliveries[0]!);
    expect(runs.map(({ status }) => status)).toEqual(['cancelled', 'queued']);
    expect(await webConsole.examples.succeedQueued()).toBe(1);
  });

  test('filters of deliveries are kept in the address, after a reload, and when a row is opened', async () => {
    const { triggerId } = await webConsole.examples.runs(2);
    await webConsole.examples.delivery();
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
    await page.getByLabel('Outcome').selectOption('nothing');
    await until(async () => expect(await rows.count()).toBe(2));
    await page.getByLabel('Outcome').selectOption('started');
    await page.getByLabel('Trigger').selectOption(triggerId);
    await until(async () => expect(await rows.count()).toBe(3));
    await page.getByRole('combobox', { name: 'Time' }).selectOption('own');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    await page.getByLabel('To', { exact: true }).press('Enter');
    await page.getByText('No matching').waitFor();
    await page.reload();
    await page.getByText('No matching').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/^(2019-12-31|2020-01-01)T/);
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByLabel('To', { exact: true }).press('Enter');
    await rows.getByRole('link').first().click();
    await page.getByText('Copy raw').waitFor();
    expect(await page.getByLabel('Outcome').inputValue()).toBe('started');
    await until(async () => expect(await rows.count()).toBe(3));
  });

  test('refused requests of a trigger are listed with the reason, and with their content if the secret was right', async () => {
    const { triggerId } = await webConsole.examples.refusals(2, await webConsole.examples.emptyTrigger());
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/deliveries?trigger=${triggerId}&outcome=refused`);
    const table = page.getByRole('table', { name: 'Refused requests' });
    await table.getByText('The input "email" is required.').waitFor();
    await table.getByText('The secret is wrong.').waitFor();
    expect(await table.getByText('Show').count()).toBe(1);
    await table.getByText('Show').click();
    await table.getByText('{"mail":"a"}').waitFor();
    await page.getByText('1 × missing or invalid workflow input, last').waitFor();
    await table.getByRole('button', { name: 'Replay the request of' }).click();
    await table.getByRole('link', { name: 'Replayed' }).click();
    await page.getByText('No workflow was assigned when this was received.').waitFor();
  });

  test('deliveries that lack an input are one problem, which links to its trigger and can be replayed as a whole (acceptance S.12)', async () => {
    const triggerId = await webConsole.examples.trigger();
    const [first] = await webConsole.examples.refuseStarts(triggerId, ['{"email":"a@acme.example"}', '{"mail":"b"}']);
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open(`/deliveries?id=${first!}`);
    await page.getByText('inbound-lead: not started: input "email" (from payload.email) is required').waitFor();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('not started').first().waitFor();
    await tab.open('/problems');
    const name = 'inbound-lead: input email from Form';
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
    await row.getByText('input "email" (from payload.email) is required').waitFor();
    // Only admins can change a mapping.
    expect(await row.getByRole('link', { name: 'Fix mapping' }).count()).toBe(0);
    await row.getByRole('button', { name: `Replay all 2 of ${name}, required` }).click();
    const asking = page.getByRole('alertdialog', { name: 'Replay 2 deliveries of inbound-lead' });
    await asking.getByRole('button', { name: 'Replay 2 deliveries' }).click();
    const going = page.getByRole('dialog', { name: 'Replay 2 deliveries of inbound-lead' });
    await going.getByText('1 delivery skipped: input "email" (from payload.email) is required.').waitFor();
    await webConsole.examples.succeedQueued();
    await going.getByText('1 run started: 1 succeeded').waitFor();
    await going.getByRole('button', { name: 'Done' }).click();
    await row.getByRole('button', { name: `Replay 1 of ${name}, required` }).waitFor();
    await row.getByRole('link', { name }).click();
    await page.getByRole('heading', { name: 'Form' }).waitFor();
    expect(page.url()).toContain(triggerId);

    await tab.open(`/deliveries?id=${first!}`);
    await page.getByText('inbound-lead: started by a replay').waitFor();
    await page.getByText(`The refused workflows of the delivery ${first!} were already replayed.`).waitFor();
    const button = page.getByRole('button', { name: 'Replay', exact: true });
    expect(await button.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Replay all workflows' }).check();
    await page.getByRole('list', { name: 'Replay preview' }).getByText('inbound-lead v1').waitFor();
    await page.getByText(`relata deliveries replay ${first!} --all`).waitFor({ state: 'attached' });
    await button.click();
    await page.getByRole('list', { name: 'Replay result' }).getByText('inbound-lead v1').waitFor();
  });

  test('the palette finds triggers and workflows by name, and names the object of a pasted id before it is opened', async () => {
    const key = await webConsole.examples.key();
    const failed = await webConsole.examples.run('failed');
    const workflow = await webConsole.examples.workflow();
    const trigger = await webConsole.examples.emptyTrigger('Shop of Ada');
    const delivery = await webConsole.examples.deliver(trigger, '{}');
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.signIn('ada@acme.example'),
      permissions,
    });
    const { page } = tab;
    await tab.open('/problems');
    await page.getByRole('heading', { name: 'Problems' }).waitFor();
    const options = page.getByRole('listbox').getByRole('option');
    const find = async (text: string, option: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or go to' }).fill(text);
      await until(async () => expect(await options.allInnerTexts()).toEqual([expect.stringMatching(option)]));
    };
    const open = async (path: string) => {
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => (url.pathname + url.search).endsWith(path));
    };
    await find('shop ada', '^Shop of Ada\\s+trigger$');
    await open(`/triggers/${trigger}`);
    await find('inbound-l', '^inbound-lead\\s+workflow$');
    await open(`/workflows/${workflow}`);
    await find(` ${delivery} `, '^To Shop of Ada\\s+delivery$');
    await open(`/deliveries?id=${delivery}`);
    await find(failed, '^inbound-lead v1, failed\\s+run$');
    await open(`/runs/${failed}`);
    await find(key.toUpperCase(), '^Example, sk_…\\w{4}\\s+API key$');
    await open(`/settings/keys?id=${key}`);
    await page.locator('tr[aria-current]').getByText('Example').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or go to' }).fill(randomUUID());
    await page.getByText('No results for this ID.').waitFor();
    expect(await options.count()).toBe(0);
    await page.keyboard.press('Escape');

    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press('y');
    await page.getByText('Link copied.').waitFor();
    expect(await copied()).toBe(page.url());
    await tab.open(`/runs/${failed}`);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.context().clearPermissions();
    await page.context().grantPermissions(permissions);
    await page.keyboard.press('Shift+Y');
    await page.getByText(`Copied: relata runs retry ${failed}`).waitFor();
    expect(await copied()).toBe(`relata runs retry ${failed}`);

    await tab.open('/settings/members');
    const command = page.getByRole('figure').locator('pre');
    const act = async (of: string, name: string, expected: string) => {
      await page.getByRole('button', { name: `Actions for ${of}` }).click();
      await page.getByRole('menuitem', { name }).click();
      await page.getByText('CLI command').click();
      expect(await command.innerText()).toBe(expected);
    };
    await page.getByRole('button', { name: 'Invite member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite to Acme' });
    await dialog.getByLabel('E-mail').fill('nell@acme.example');
    await dialog.getByLabel('Name').fill("Nell O'Hara");
    await dialog.getByLabel('Role').selectOption('viewer');
    await dialog.getByText('CLI command').click();
    const named = String.raw`--name 'Nell O'\''Hara'`;
    expect(await command.innerText()).toBe(
      `relata people invite nell@acme.example --org ${webConsole.orgId} --role viewer ${named}`,
    );
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await act('Test admin', 'Change role', `relata people role ada@acme.example admin --org ${webConsole.orgId}`);
    await page.keyboard.press('Escape');
    await act('Nell', 'Withdraw invitation', `relata people remove nell@acme.example --org ${webConsole.orgId}`);
  });
});
