import { describeInBrowser, until } from '@relata/testing';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goodPassword, visit } from './harness/console.harness.ts';
import { openWholeSite, typeIntoShell, webLead, type WholeSite } from './harness/journey.harness.ts';

describeInBrowser('The console by keyboard alone', (browser) => {
  let site: WholeSite;
  beforeAll(async () => {
    site = await openWholeSite();
    await site.join('admin', 'grace@acme.example');
    await site.examples.workflow(webLead(site.partner));
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test('56: the whole tour: sign in, key, trigger, map, replay and retry, with the focus visible and returned', async () => {
    await using tab = await visit(browser(), site);
    const { page } = tab;
    await tab.open('');
    await signIn(page);
    await makeKey(page);
    const curl = await makeTrigger(page);
    await typeIntoShell(curl);
    await mapIt(page);

    site.partner.isBroken = true;
    await page.keyboard.type('gd');
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Replay' }));
    await page.keyboard.press('Enter');
    await page.getByText('1 run was started.').waitFor();

    await page.keyboard.type('gp');
    const row = page.getByRole('button', { name: 'Retry 1 of web-lead at notify' });
    await row.waitFor();
    site.partner.isBroken = false;
    await tabTo(page, row);
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await page.keyboard.press('Escape');
    await expectFocused(row);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('alertdialog').getByRole('button', { name: 'Retry 1 run' }));
    await page.keyboard.press('Enter');
    await page.getByText('1 run queued: 1 succeeded, none failed again.').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Done' }));
    await page.keyboard.press('Enter');
    await page.getByText('No run has failed.').waitFor();
    // What was focused before is gone with the row.
    await until(async () => expect(await page.evaluate(() => document.activeElement?.id)).toBe('page'));
    expect(site.partner.taken).toEqual(['{"email":"ada@robotics.example"}']);
  });

  test('56: ? lists the shortcuts of a page, the palette goes anywhere, and switched off single keys do nothing', async () => {
    await using tab = await visit(browser(), site, { cookie: await site.signIn('grace@acme.example') });
    const { page } = tab;
    await tab.open('/settings/keys');
    const create = page.getByRole('button', { name: 'Create key' });
    await create.waitFor();
    await tabTo(page, create);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Shortcuts on this page' });
    for (const name of ['Create key', 'Go to Today', 'Next row', 'Search and commands'])
      await help.getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocused(create);

    await page.keyboard.press('Control+k');
    await expectFocused(page.getByRole('combobox', { name: 'Search or jump' }));
    await page.keyboard.type('you');
    await page.keyboard.press('Enter');
    const box = page.getByRole('checkbox', { name: /Single-key shortcuts/ });
    await tabTo(page, box);
    await page.keyboard.press('Space');
    expect(await box.isChecked()).toBe(false);
    for (const keys of ['?', 'gt', 'c', 'j']) await page.keyboard.type(keys);
    await tab.open('/settings/keys');
    await create.waitFor();
    for (const keys of ['?', 'gt', 'c', 'j']) await page.keyboard.type(keys);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).pathname).toMatch(/\/settings\/keys$/);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or jump' }).waitFor();
  });
});

async function signIn(page: Page): Promise<void> {
  await expectFocused(page.getByLabel('E-mail'));
  await page.keyboard.type('grace@acme.example');
  await page.keyboard.press('Tab');
  await page.keyboard.type(goodPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Today' }).waitFor();
}

async function makeKey(page: Page): Promise<void> {
  await page.keyboard.type('gs');
  const keys = page.getByRole('link', { name: 'API keys' });
  await keys.waitFor();
  await tabTo(page, keys);
  await page.keyboard.press('Enter');
  const create = page.getByRole('button', { name: 'Create key' });
  await create.waitFor();
  await tabTo(page, create);
  await page.keyboard.press('Enter');
  await expectFocused(page.getByRole('dialog').getByLabel('Name'));
  await page.keyboard.type('Zapier import');
  await tabTo(page, page.getByLabel('records:read'));
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByLabel('I have stored it'));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByRole('button', { name: 'Done' }));
  await page.keyboard.press('Enter');
  await expectFocused(create);
}

/** Makes a trigger, opens it, and returns the command that was shown. */
async function makeTrigger(page: Page): Promise<string> {
  await page.keyboard.type('gw');
  await page.getByRole('heading', { name: 'Triggers' }).waitFor();
  await page.keyboard.press('c');
  await expectFocused(page.getByRole('dialog').getByLabel('Name'));
  await page.keyboard.type('Website form');
  await page.keyboard.press('Enter');
  const made = page.getByRole('alertdialog', { name: 'The secret of Website form' });
  const curl = (await made.locator('pre').textContent())!;
  await tabTo(page, made.getByLabel('I have stored it'));
  await page.keyboard.press('Space');
  await tabTo(page, made.getByRole('link', { name: 'Open the trigger' }));
  await page.keyboard.press('Enter');
  await page.getByText('Nothing came in yet.').waitFor();
  return curl;
}

async function mapIt(page: Page): Promise<void> {
  const body = page.getByRole('list', { name: 'Body' });
  await body.waitFor();
  await tabTo(page, body.getByRole('button', { name: 'payload {' }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expectFocused(body.getByRole('button', { name: 'email "ada@robotics.example"' }));
  await page.keyboard.press('Enter');
  await page.getByText('The last delivery starts it').waitFor();
  const save = page.getByRole('button', { name: 'Save mapping' });
  await until(async () => expect(await save.isEnabled()).toBe(true));
  await tabTo(page, save);
  await page.keyboard.press('Enter');
  await page.getByText('Website form starts web-lead with this mapping').waitFor();
}

const expectFocused = (locator: Locator) =>
  until(async () => expect(await locator.evaluate((element) => element === document.activeElement)).toBe(true));

const stopsMax = 80;

/** Tabs until it is there; wherever the focus stops on the way, it is seen. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  await locator.waitFor();
  const isThere = () => locator.evaluate((element) => element === document.activeElement);
  for (let stops = 0; stops < stopsMax && !(await isThere()); stops++) {
    await page.keyboard.press('Tab');
    expect(await unseenFocus(page)).toBeUndefined();
  }
  await expectFocused(locator);
}

/** What has the focus where nothing shows that it has; the document itself is passed between its last and its first. */
function unseenFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body || focused.matches('[data-base-ui-focus-guard]'))
      return undefined;
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    const box = focused.getBoundingClientRect();
    const isSeen = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && box.width > 0 && box.height > 0;
    return isSeen ? undefined : focused.outerHTML.slice(0, 200);
  });
}
