import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

const refused = { step: 'log', code: 'validation_error', message: '1 field is invalid.' };

describeInBrowser('States of problems in the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('member', 'grace@acme.example');
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  test('a problem can be resolved, ignored and reopened; a resolved one reopens when it occurs again (found B3)', async () => {
    const { ids } = await webConsole.examples.runs(3);
    await webConsole.examples.fail(ids.slice(0, 2), refused);
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/problems');
    const put = async (act: string) => {
      await page.getByRole('button', { name: 'Actions for inbound-lead at log, validation_error' }).click();
      await page.getByRole('menuitem', { name: act }).click();
      const asking = page.getByRole('alertdialog');
      await asking.getByText('CLI command').click();
      await asking.getByText(`relata problems ${act.toLowerCase()} --org ${webConsole.orgId}`).waitFor();
      await asking.getByRole('button', { name: act }).click();
      await asking.waitFor({ state: 'detached' });
    };
    const states = page.getByRole('navigation', { name: 'Status' });
    await put('Resolve');
    await page.getByText('No open problems').waitFor();
    await states.getByRole('link', { name: 'Resolved 1' }).click();
    await page.getByText(/Resolved .* by Test member, in v1\./).waitFor();
    await webConsole.examples.fail([ids[2]!], refused);
    await states.getByRole('link', { name: 'Open 1' }).click();
    await page.getByText('Reopened: it failed again. 1 run failed since.').waitFor();
    await put('Ignore');
    await states.getByRole('link', { name: 'Ignored 1' }).click();
    await page.getByText(/Ignored .* by Test member, in v1\./).waitFor();
    expect(await states.locator('[aria-current]').allInnerTexts()).toEqual(['Ignored 1']);
    await put('Reopen');
    await states.getByRole('link', { name: 'Open 1' }).waitFor();
    // The runs of the problem were not retried.
    expect(await webConsole.examples.succeedQueued()).toBe(0);
  });

  test('for a problem that a retry cannot fix, a replay with the newest version is preselected, and fixes it (found B3)', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/problems');
    await page.getByRole('button', { name: /^Replay all 3 of inbound-lead/ }).click();
    const asking = page.getByRole('alertdialog', { name: /^(Replay|Retry) 3 runs of inbound-lead/ });
    const replay = asking.getByRole('radio', { name: /^Replay with the newest version, v1/ });
    await replay.waitFor();
    expect(await replay.isChecked()).toBe(true);
    await asking.getByRole('button', { name: 'Replay 3 runs' }).click();
    const going = page.getByRole('dialog', { name: 'Replay 3 runs of inbound-lead' });
    await going.getByText('3 runs started: 0 succeeded, none failed again, 3 still running.').waitFor();
    expect(await webConsole.examples.succeedQueued()).toBe(3);
    await going.getByText('3 runs started: 3 succeeded, none failed again.').waitFor();
    await going.getByRole('button', { name: 'Done' }).click();
    await page.getByText('No open problems').waitFor();
  });

  test('at 1280 px the cause of a problem stays on one line beside a long message', async () => {
    const { ids } = await webConsole.examples.runs(3);
    const message = `partner.example answered 503 to POST https://partner.example/leads/${'inbound/'.repeat(12)}`;
    await webConsole.examples.fail(ids, { code: 'outbound_refused', message, step: 'notify-the-channel' });
    await using tab = await openPage(browser(), webConsole, { cookie });
    await tab.open('/problems');
    const cause = tab.page.getByRole('link', { name: 'inbound-lead at notify-the-channel' });
    await cause.waitFor();
    expect((await cause.boundingBox())!.height).toBeLessThan(24);
    const examples = tab.page.getByRole('row').filter({ has: cause }).getByRole('link', { name: /^…/ });
    const tops = await examples.evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top));
    expect([tops.length, new Set(tops).size]).toEqual([3, 1]);
  });
});
