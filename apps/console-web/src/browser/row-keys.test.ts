import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { Browser as Client } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole } from './harness/console.harness.ts';
import { expectFocused } from './harness/keyboard.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

describeInBrowser('The keys j and k', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'grace@acme.example');
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const openSharedPage = sharePages(browser, () => webConsole);

  test('select API keys also if there are revoked ones', async () => {
    await webConsole.examples.key();
    await webConsole.examples.key();
    await new Client(webConsole.url, cookie).post(
      `/orgs/${webConsole.orgId}/keys/${await webConsole.examples.key()}/revoke`,
    );
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('/settings/keys');
    await page.getByText('1 inactive key').waitFor();
    const actions = page.getByRole('button', { name: 'Actions for Example' });
    await actions.first().waitFor();
    for (const [key, at] of [
      ['j', 0],
      ['j', 1],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key);
      await expectFocused(actions.nth(at));
    }
  });

  test('stay in the list of Today that has the focus, and begin in the first list', async () => {
    const { ids } = await webConsole.examples.runs(3);
    await webConsole.examples.fail(ids.slice(0, 1), { step: 'log', code: 'failed', message: 'It failed.' });
    await using tab = await openSharedPage({ cookie });
    const { page } = tab;
    await tab.open('');
    const linkOf = (table: string, row: number) =>
      page.getByRole('table', { name: table }).locator('tbody tr').nth(row).locator('a, button').first();
    await linkOf('Latest runs', 2).waitFor();
    await linkOf('Problems', 0).waitFor();
    await page.keyboard.press('j');
    await expectFocused(linkOf('Problems', 0));
    await linkOf('Latest runs', 0).focus();
    await page.keyboard.press('j');
    await expectFocused(linkOf('Latest runs', 1));
    await linkOf('Problems', 0).focus();
    await page.keyboard.press('k');
    await expectFocused(linkOf('Problems', 0));
  });
});
