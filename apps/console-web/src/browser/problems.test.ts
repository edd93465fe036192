import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSite, type Site, visit } from './harness/console.harness.ts';

const badStatus = { code: 'bad_status', message: 'partner.example answered 503.', step: 'notify' };

describeInBrowser('Problems and filters in the console', (browser) => {
  let site: Site;
  let cookie: string;
  beforeAll(async () => {
    site = await openSite();
    cookie = await site.join('member', 'grace@acme.example');
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test('34: failures of one cause are one row; Retry all asks once, shows progress, and ends with what failed again', async () => {
    const { ids } = await site.examples.runs(214);
    await site.examples.fail(ids, badStatus);
    await using tab = await visit(browser(), site, { cookie });
    const { page } = tab;
    await tab.open('/problems');
    const table = page.getByRole('table', { name: 'Problems' });
    await table.getByRole('link', { name: 'inbound-lead at notify' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    await page.getByText('Of all 214 runs that failed and are kept.').waitFor();
    await table.getByRole('button', { name: 'Retry all 214' }).click();
    const asking = page.getByRole('alertdialog', { name: 'Retry 214 runs of inbound-lead' });
    const retry = asking.getByRole('button', { name: 'Retry 214 runs' });
    expect(await retry.isDisabled()).toBe(true);
    await asking.getByText('The same in the terminal').click();
    await asking.getByText('--step notify --code bad_status --limit 214').waitFor();
    await asking.getByLabel('Type 214 to go on').fill('214');
    await retry.click();
    const going = page.getByRole('dialog', { name: 'Retry 214 runs of inbound-lead' });
    await going.getByText('214 runs queued: 0 succeeded, none failed again, 214 not ended yet.').waitFor();
    await site.examples.fail(ids.slice(0, 3), badStatus);
    expect(await site.examples.succeedQueued()).toBe(211);
    await going.getByText('214 runs queued: 211 succeeded, 3 failed again.').waitFor();
    await going.getByRole('button', { name: 'Done' }).click();
    await table.getByRole('button', { name: 'Retry all 3' }).waitFor();
  });

  test('34: a problem leads to its runs, and taking the cause off leads to all that failed', async () => {
    const { ids } = await site.examples.runs(2);
    await site.examples.fail([ids[0]!], { ...badStatus, step: 'each[7].send' });
    await site.examples.fail([ids[1]!], { code: 'run_too_large', message: 'Too large.' });
    await using tab = await visit(browser(), site, { cookie });
    const { page } = tab;
    await tab.open('/problems');
    await page.getByRole('link', { name: 'inbound-lead at each.send' }).click();
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row');
    await until(async () => expect(await rows.count()).toBe(2));
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('failed');
    await page.getByRole('button', { name: 'Remove filter: Failed at each.send of bad_status' }).click();
    await until(async () => expect(await rows.count()).toBeGreaterThan(2));
    await page.goBack();
    await until(async () => expect(await rows.count()).toBe(2));
    await page.reload();
    await until(async () => expect(await rows.count()).toBe(2));
  });

  test('at 1280 px a problem has a cause of one line, beside a long message', async () => {
    const { ids } = await site.examples.runs(3);
    const message = `partner.example answered 503 to POST https://partner.example/leads/${'inbound/'.repeat(12)}`;
    await site.examples.fail(ids, { code: 'outbound_refused', message, step: 'notify-the-channel' });
    await using tab = await visit(browser(), site, { cookie, viewport: { width: 1280, height: 800 } });
    await tab.open('/problems');
    const cause = tab.page.getByRole('link', { name: 'inbound-lead at notify-the-channel' });
    await cause.waitFor();
    expect((await cause.boundingBox())!.height).toBeLessThan(24);
    const examples = tab.page.getByRole('row').filter({ has: cause }).getByRole('link', { name: /^…/ });
    const tops = await examples.evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top));
    expect([tops.length, new Set(tops).size]).toEqual([3, 1]);
  });

  test('35: runs that somebody else has retried meanwhile are not done twice, and the answer says so', async () => {
    const { ids } = await site.examples.runs(1);
    await site.examples.fail(ids, { ...badStatus, code: 'timeout' });
    await using tab = await visit(browser(), site, { cookie });
    const { page } = tab;
    await tab.open('/problems');
    await page.getByRole('button', { name: 'Retry 1 of inbound-lead at notify, timeout' }).click();
    await site.examples.requeue(ids[0]!);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retry 1 run' }).click();
    await page.getByText('None was left to retry: somebody else has retried them.').waitFor();
    expect(await site.examples.succeedQueued()).toBe(1);
  });

  test('9: a viewer sees problems and what was refused, and no act', async () => {
    await using tab = await visit(browser(), site, { cookie: await site.join('viewer', 'kay@acme.example') });
    await tab.open('/problems');
    await tab.page.getByRole('table', { name: 'Problems' }).waitFor();
    expect(await tab.page.getByRole('button', { name: /Retry/ }).count()).toBe(0);
  });

  test('filters of deliveries stand in the address and survive a reload, and a row opens with them', async () => {
    const { triggerId } = await site.examples.runs(2);
    await site.examples.delivery();
    await using tab = await visit(browser(), site, { cookie });
    const { page } = tab;
    await tab.open('/deliveries');
    const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
    await page.getByLabel('Outcome').selectOption('nothing');
    await until(async () => expect(await rows.count()).toBe(2));
    await page.getByLabel('Outcome').selectOption('started');
    await page.getByLabel('Trigger').selectOption(triggerId);
    await until(async () => expect(await rows.count()).toBe(3));
    await page.getByRole('combobox', { name: 'Time' }).selectOption('own');
    await page.getByLabel('To').fill('2020-01-01T00:00');
    await page.getByLabel('To').press('Enter');
    await page.getByText('Nothing matches.').waitFor();
    await page.reload();
    await page.getByText('Nothing matches.').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/^(2019-12-31|2020-01-01)T/);
    await page.getByLabel('To').fill('');
    await page.getByLabel('To').press('Enter');
    await rows.getByRole('link').first().click();
    await page.getByText('Copy raw').waitFor();
    expect(await page.getByLabel('Outcome').inputValue()).toBe('started');
    expect(await rows.count()).toBe(3);
  });

  test('what a trigger refused is listed with the reason, and with what was sent where the secret was right', async () => {
    const { triggerId } = await site.examples.refusals(2);
    await using tab = await visit(browser(), site, { cookie });
    const { page } = tab;
    await tab.open(`/deliveries?trigger=${triggerId}&outcome=refused`);
    const table = page.getByRole('table', { name: 'Refused posts' });
    await table.getByText('The input "email" is required.').waitFor();
    await table.getByText('The secret is wrong.').waitFor();
    expect(await table.getByText('Show').count()).toBe(1);
    await table.getByText('Show').click();
    await table.getByText('{"mail":"a"}').waitFor();
    await page.getByText('this trigger refused: 1 × invalid_input, 1 × unauthorized.').waitFor();
  });
});
