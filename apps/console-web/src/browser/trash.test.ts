import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';
import { sharePages } from './harness/shared-page.harness.ts';

describeInBrowser('The trash in the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'grace@acme.example');
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());
  const share = sharePages(browser, () => webConsole);

  const rows = (page: Page) => page.getByRole('table', { name: 'Deleted records' }).locator('tbody tr');
  const asking = (page: Page, name: string) => page.getByRole('alertdialog', { name: `Restore ${name}?` });

  test('by keyboard alone, a preview shows what restoring an account brings back, and the restore does exactly that', async () => {
    await using tab = await share({ cookie });
    const { page } = tab;
    await tab.open('/trash');
    await page.getByText('The trash is empty').waitFor();
    const { id } = await webConsole.examples.account('Example Robotics', ['Arms', 'Legs']);
    await webConsole.examples.delete('account', id);
    await page.getByRole('button', { name: 'Example Robotics', exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    expect(await rows(page).allInnerTexts()).toHaveLength(3);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Operator (CLI)').waitFor();
    await page.keyboard.press('Escape');
    await rows(page).filter({ hasText: 'account' }).getByRole('link', { name: '2 others deleted with it' }).click();
    await page.getByRole('button', { name: 'Remove filter: Deleted together' }).waitFor();
    await page.getByRole('button', { name: 'Restore Example Robotics' }).press('Enter');
    const dialog = asking(page, 'Example Robotics');
    await dialog.getByText('Restored with it: 2 opportunities. Linked to it again: 1 contact.').waitFor();
    await dialog.getByText('CLI command').click();
    await dialog.getByText(`relata records restore ${id} --org ${webConsole.orgId}`).waitFor();
    await dialog.getByRole('button', { name: 'Restore' }).press('Enter');
    await page.getByText('Example Robotics restored. Restored with it: 2 opportunities.').waitFor();
    await page.getByText('No matching records').waitFor();
  });

  test('an opportunity whose account is in the trash offers to restore the account first', async () => {
    const { id, deals } = await webConsole.examples.account('Globex', ['Beam']);
    await webConsole.examples.delete('opportunity', deals[0]!);
    await webConsole.examples.delete('account', id);
    await using tab = await share({ cookie });
    const { page } = tab;
    await tab.open(`/trash?record=${deals[0]}`);
    await page.getByRole('button', { name: 'Restore Beam' }).click();
    await asking(page, 'Beam').getByText('belongs to the account Globex, which is in the trash, too.').waitFor();
    await page.getByRole('button', { name: 'Restore Globex…' }).click();
    await asking(page, 'Globex').getByText('Linked to it again: 1 contact.').waitFor();
    await asking(page, 'Globex').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Restore Beam' }).click();
    await asking(page, 'Beam').getByText('No other record changes.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('the palette finds a deleted record by its ID, and its history says that it is in the trash and can restore it', async () => {
    const id = await webConsole.examples.trashed();
    await using tab = await share({ cookie });
    const { page } = tab;
    await tab.open(`/settings/audit?record=${id}`);
    await page.getByText(/Some Body is in the trash: deleted .*, expires in 30 days\./).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or go to' }).fill(id);
    await page.getByRole('option', { name: 'Some Body contact in the trash' }).click();
    await rows(page).filter({ hasText: 'Some Body' }).waitFor();
    expect(new URL(page.url()).searchParams.get('record')).toBe(id);
    await page.goBack();
    // The exact name does not match the buttons of the trash page, which is still visible for a moment.
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await asking(page, 'Some Body').getByText('No other record changes.').waitFor();
    await asking(page, 'Some Body').getByRole('button', { name: 'Restore' }).click();
    // The list keeps its rows in place while the pointer is on them, which is where the dialog was.
    await page.mouse.move(0, 0);
    await page.getByRole('row', { name: /contact restored/ }).waitFor();
    await page.getByText('is in the trash').waitFor({ state: 'detached' });
  });

  test('an admin sees what erasing a record removes, and confirms it by typing the name', async () => {
    const id = await webConsole.examples.trashed();
    await using tab = await share({ cookie });
    const { page } = tab;
    await tab.open(`/trash?record=${id}`);
    await page.getByRole('button', { name: 'Some Body', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Erase Some Body?' });
    await dialog.getByText('Erases the record and the content of 2 events.').waitFor();
    const erase = dialog.getByRole('button', { name: 'Erase' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Some Body to confirm').fill('Some Body');
    await erase.click();
    await page.getByText('Some Body erased.').waitFor();
    await page.getByText('This record is not in the trash').waitFor();
    await tab.go(`/settings/audit?record=${id}`);
    await page.getByRole('row', { name: /contact erased/ }).waitFor();
    expect(await page.getByRole('row', { name: /Content erased/ }).count()).toBe(3);
    expect(await page.getByRole('table').innerText()).not.toContain('Body');
  });

  test('an account with opportunities can be erased only together with them', async () => {
    const { id } = await webConsole.examples.account('Initech', ['Stapler']);
    await using tab = await share({ cookie });
    const { page } = tab;
    await tab.open('/trash');
    await page.getByRole('heading', { name: 'Trash' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or go to' }).fill('Initech');
    await page.getByRole('option', { name: 'Initech account' }).click();
    await page.getByRole('dialog', { name: 'Initech' }).getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Erase Initech?' });
    await dialog.getByText('The account has opportunities, which cannot exist without it.').waitFor();
    await dialog.getByLabel('Type Initech to confirm').fill('Initech');
    const erase = dialog.getByRole('button', { name: 'Erase' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByText('which otherwise keep their text').waitFor();
    await dialog.getByLabel('Also erase its opportunities').check();
    await dialog
      .getByText(
        'Erases the record and the content of 2 events. Also erases 1 opportunity. Removes its links from 1 contact.',
      )
      .waitFor();
    expect(await erase.isEnabled()).toBe(true);
    await dialog.getByText('CLI command').click();
    await dialog.getByText(`relata records erase account ${id} --org ${webConsole.orgId} --cascade --yes`).waitFor();
    await page.keyboard.press('Escape');
    expect(await dialog.count()).toBe(0);
  });

  test('a restored record leaves the list while the pointer and the focus are in it', async () => {
    const { id, deals } = await webConsole.examples.account('Initech', ['Arms', 'Legs']);
    for (const deal of deals) await webConsole.examples.delete('opportunity', deal);
    await using tab = await share({ cookie });
    const { page } = tab;
    await tab.open('/trash');
    const button = page.getByRole('button', { name: 'Restore Arms' });
    await button.hover();
    await button.press('Enter');
    await asking(page, 'Arms').getByRole('button', { name: 'Restore' }).press('Enter');
    await page.getByText('Arms restored.').waitFor();
    await button.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Restore Legs' }).count()).toBe(1);
    // The focus moves to the row that takes the place of the restored one.
    await until(async () => expect(await page.evaluate(() => document.activeElement?.closest('tr'))).not.toBeNull());
    await webConsole.examples.restore(deals[1]!);
    await webConsole.examples.delete('account', id);
  });

  test('a record that somebody else has already restored is not restored twice', async () => {
    const id = await webConsole.examples.trashed();
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open(`/trash?record=${id}`);
    await page.getByRole('button', { name: 'Restore Some Body' }).click();
    await asking(page, 'Some Body').getByText('No other record changes.').waitFor();
    await webConsole.examples.restore(id);
    await asking(page, 'Some Body').getByRole('button', { name: 'Restore' }).click();
    await asking(page, 'Some Body').getByText('This record is no longer in the trash').waitFor();
    await asking(page, 'Some Body').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('This record is not in the trash').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
