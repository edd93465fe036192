import { describeInBrowser, until } from '@relata/testing';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';

describeInBrowser('Unsaved input', (browser) => {
  let webConsole: WebConsole;
  let tab: TestPage;
  let page: Page;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    tab = await openPage(browser(), webConsole, { cookie: await webConsole.join('admin', 'grace@acme.example') });
    ({ page } = tab);
  });
  afterAll(async () => {
    await tab[Symbol.asyncDispose]();
    await webConsole[Symbol.asyncDispose]();
  });

  const question = () => page.getByRole('alertdialog', { name: 'Discard your changes?' });
  const answer = async (name: 'Keep editing' | 'Discard') => {
    await question().getByRole('button', { name }).click();
    await question().waitFor({ state: 'detached' });
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const palette = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or go to' }).fill(text);
    await page.keyboard.press('Enter');
  };
  /** Returns true if the browser asks before the tab is closed or reloaded. */
  const isClosingAsked = () =>
    page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true }) as BeforeUnloadEvent));

  /** Expects that each way to leave the page asks first, and that “Keep editing” keeps the input. */
  async function expectEachWayAsks(field: Locator, ways: readonly (() => Promise<unknown>)[]): Promise<void> {
    const [address, typed] = [page.url(), await field.inputValue()];
    for (const leave of ways) {
      await leave();
      await answer('Keep editing');
      // Back changes the address before the page asks; the page then restores the address.
      await until(() => expect(page.url()).toBe(address));
      expect(await field.inputValue()).toBe(typed);
    }
    expect(await isClosingAsked()).toBe(true);
  }

  test('before a link, a key, the palette, Back, another tab or closing discards a mapping, the page asks (found B6)', async () => {
    await webConsole.examples.workflow();
    const trigger = await webConsole.examples.emptyTrigger();
    await webConsole.examples.deliver(trigger, '{"email":"ada@acme.example"}');
    await tab.open('/triggers');
    await page.getByRole('link', { name: 'Form' }).click();
    const field = page.getByRole('textbox', { name: 'Filter' });
    await field.waitFor();
    expect(await isClosingAsked()).toBe(false);
    await field.fill('payload.email != ""');
    await expectEachWayAsks(field, [
      () => page.getByRole('link', { name: 'Runs', exact: true }).click(),
      () => page.getByRole('link', { name: 'Secrets' }).click(),
      () => page.goBack(),
      async () => {
        await page.getByRole('heading', { name: 'Form' }).click();
        await page.keyboard.press('g');
        await page.keyboard.press('d');
      },
      () => palette('problems'),
    ]);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await answer('Discard');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    expect(await isClosingAsked()).toBe(false);
  });

  test('a click on the open tab of a trigger asks nothing, and keeps the mapping', async () => {
    await webConsole.examples.workflow();
    const trigger = await webConsole.examples.emptyTrigger();
    await webConsole.examples.deliver(trigger, '{"email":"ada@acme.example"}');
    await tab.open(`/triggers/${trigger}`);
    const field = page.getByRole('textbox', { name: 'Filter' });
    await field.fill('payload.email != ""');
    await page.getByRole('link', { name: 'Listen & map' }).click();
    await page.waitForURL('**?tab=map');
    expect(await field.inputValue()).toBe('payload.email != ""');
  });

  test('a mapping can still be edited while its preview fails', async () => {
    const trigger = await webConsole.examples.trigger();
    await webConsole.examples.deliver(trigger, '{"email":"ada@acme.example"}');
    await tab.open(`/triggers/${trigger}`);
    const field = page.getByRole('textbox', { name: 'Filter' });
    await page.getByText('The last delivery would start the workflow').waitFor();
    const refusal = { error: 'validation_error', message: 'The filter is too long.' };
    await page.route('**/preview', (route) => route.fulfill({ status: 400, json: refusal }));
    await field.fill('payload.email == ');
    await page.getByText(refusal.message).waitFor();
    await page.keyboard.type('""');
    expect(await field.inputValue()).toBe('payload.email == ""');
    expect(await button('Save mapping').isDisabled()).toBe(true);
    await page.unroute('**/preview');
    await page.keyboard.type(' ');
    await page.getByText('The last delivery would not start the workflow').waitFor();
    expect(await page.getByText(refusal.message).count()).toBe(0);
    await field.fill('');
  });

  test('a saved or unchanged mapping can be left without a question (found B6)', async () => {
    const trigger = await webConsole.examples.emptyTrigger('Saved');
    await tab.go(`/triggers/${trigger}`);
    const email = page.getByRole('textbox', { name: 'email' });
    const away = async () => {
      await page.getByRole('link', { name: 'Triggers', exact: true }).click();
      await page.getByRole('heading', { name: 'Triggers', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Saved' }).click();
    };
    await email.fill('payload.email');
    await email.fill('');
    await away();
    await email.fill('payload.email');
    await button('Save mapping').click();
    await page.getByText('Mapping saved.').waitFor();
    await away();
    expect(await email.inputValue()).toBe('payload.email');
  });

  /** Page, button, field, and number of ways to leave. All dialogs behave alike, so only one test tries all six. */
  const dialogs = [
    ['API keys', 'Create key', 'Name', 6],
    ['Members', 'Invite member', 'E-mail', 2],
    ['Triggers', 'Create trigger', 'Name', 2],
  ] as const;

  test.each(dialogs)('on the page %s, the dialog of “%s” asks before it discards input (found B13)', async (...row) => {
    const [heading, name, label, ways] = row;
    await tab.open('/runs');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await palette(heading);
    await button(name).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel(label, { exact: true });
    await field.waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await button(name).click();
    await field.fill('Half done');
    const all = [
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => page.goBack(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 400),
      () => palette('problems'),
    ];
    await expectEachWayAsks(field, all.slice(0, ways));
    await page.keyboard.press('Escape');
    await answer('Discard');
    await dialog.waitFor({ state: 'detached' });
    expect(await isClosingAsked()).toBe(false);
  });

  test('on the tab Secrets of a trigger, Back asks before it discards a typed secret or a selected key', async () => {
    const key = await webConsole.examples.key();
    const dialogs = [
      [
        'Rotate secret',
        await webConsole.examples.triggerWithToken(),
        'signing secret',
        (field: Locator) => field.fill('typed'),
      ],
      [
        'Use an API key',
        await webConsole.examples.emptyTrigger(),
        'API key',
        (field: Locator) => field.selectOption(key),
      ],
    ] as const;
    for (const [name, trigger, label, fill] of dialogs) {
      await tab.open(`/triggers/${trigger}`);
      await page.getByRole('link', { name: 'Secrets' }).click();
      await button(name).click();
      const dialog = page.getByRole('dialog');
      const field = dialog.getByLabel(label);
      await fill(field);
      await expectEachWayAsks(field, [() => page.goBack()]);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await answer('Discard');
    }
  });

  test('leaving a page with an unsaved name asks first, and after saving it does not (found B6)', async () => {
    await tab.go('/settings/general');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Acme, renamed');
    await expectEachWayAsks(name, [() => page.getByRole('link', { name: 'Members', exact: true }).click()]);
    await button('Save name').click();
    await page.getByText('Name saved.').waitFor();
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor();
  });

  test('a run is cancelled only after a confirmation, and “Keep running” does not cancel it (found B13)', async () => {
    const run = await webConsole.examples.run();
    await tab.go(`/runs/${run}`);
    const asking = page.getByRole('alertdialog', { name: 'Cancel this run?' });
    await button('Cancel run').click();
    await asking.getByRole('button', { name: 'Keep running' }).click();
    await asking.waitFor({ state: 'detached' });
    expect(await page.getByText('queued').count()).toBeGreaterThan(0);
    await button('Cancel run').click();
    await asking.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('cancelled').first().waitFor();
  });

  test('a new key stays shown until it is stored, even if an earlier request ends in the meantime', async () => {
    await webConsole.examples.key();
    await tab.open('/settings/keys');
    const revoking = Promise.withResolvers<void>();
    await page.route('**/revoke', async (route) => {
      await revoking.promise;
      await route.continue();
    });
    // An earlier test may have created a key with the same name.
    await button('Actions for Example').first().click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const confirm = page.getByRole('alertdialog', { name: 'Revoke Example' });
    const [, word] = /Type (\w+) to confirm/.exec(await confirm.innerText())!;
    await confirm.getByLabel('to confirm').fill(word!);
    await confirm.getByRole('button', { name: 'Revoke key' }).click();
    await page.keyboard.press('Escape');
    await button('Create key').click();
    const form = page.getByRole('dialog', { name: 'Create key' });
    await form.getByLabel('Name').fill('Late');
    await form.getByLabel('records:read').check();
    await form.getByRole('button', { name: 'Create key' }).click();
    const made = page.getByRole('alertdialog', { name: 'Key created' });
    await made.waitFor();
    const listed = page.waitForResponse((response) => response.url().endsWith('/keys'));
    revoking.resolve();
    await listed;
    await page.locator('summary').filter({ hasText: '1 inactive key' }).waitFor({ state: 'attached' });
    expect(await made.count()).toBe(1);
    await made.getByLabel('I have stored it').check();
    await made.getByRole('button', { name: 'Done' }).click();
    await made.waitFor({ state: 'detached' });
  });
});
