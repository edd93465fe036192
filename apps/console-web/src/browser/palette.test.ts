import { describeInBrowser, until } from '@relata/testing';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

/** Expects the selected entry of the palette to be in view when it is the last one of a long list. */
async function expectChosenInView(page: Page): Promise<void> {
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: size.width, height: 360 });
  await page.keyboard.press('Control+k');
  const list = page.getByRole('listbox', { name: 'Results' });
  await list.waitFor();
  await page.keyboard.press('ArrowUp');
  const last = list.getByRole('option', { selected: true });
  const endOf = async (of: Locator) => of.evaluate((element) => element.getBoundingClientRect().bottom);
  expect(await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBeGreaterThan(0);
  await until(async () => expect(await endOf(last)).toBeLessThanOrEqual(await endOf(list)));
  await page.keyboard.press('Escape');
  await page.setViewportSize(size);
}

describeInBrowser('The palette', (browser) => {
  let webConsole: WebConsole;
  beforeAll(async () => void (webConsole = await startWebConsole()));
  afterAll(() => webConsole[Symbol.asyncDispose]());

  test('the palette keeps the selected entry in view, finds a record by its e-mail address, and opens forms of other pages (found B15, B17)', async () => {
    const workflow = await webConsole.examples.workflow();
    await webConsole.examples.contact({ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@robotics.example' });
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('admin', 'rosalind@acme.example'),
    });
    const { page } = tab;
    const choose = async (text: string, option: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or go to' }).fill(text);
      await page.getByRole('option', { name: option }).click();
    };
    await tab.open('/runs');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await expectChosenInView(page);
    await choose('ADA@robotics.example', 'Ada Lovelace contact');
    const record = page.getByRole('dialog', { name: 'Ada Lovelace' });
    await record.getByText('ada@robotics.example').waitFor();
    await record.getByRole('link', { name: 'View history' }).click();
    await page.getByRole('row', { name: /contact created/ }).waitFor();

    for (const [action, title] of [
      ['Create key', 'Create key'],
      ['Invite member', 'Invite to Acme'],
      ['Create trigger', 'Create trigger'],
    ] as const) {
      await choose(action.toLowerCase(), `${action} action`);
      await page.getByRole('dialog', { name: title }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await choose('new workflow', 'New workflow action');
    const definition = page.getByLabel('Definition (JSON)');
    await definition.waitFor();
    const begun = await definition.inputValue();
    expect(begun).toContain('"name": "inbound-lead-2"');
    // A name that is taken offers two ways to continue (found B15).
    await definition.fill(begun.replace('inbound-lead-2', 'inbound-lead'));
    expect(await page.getByRole('link', { name: 'Open inbound-lead' }).getAttribute('href')).toContain(workflow);
    await page.getByRole('button', { name: 'Use inbound-lead-2' }).click();
    expect(await definition.inputValue()).toBe(begun);
    await page.getByRole('heading', { name: 'New workflow' }).click();
    for (const [key, heading] of [
      ['t', 'Triggers'],
      ['w', 'Workflows'],
      ['h', 'Today'],
    ] as const) {
      await page.keyboard.type(`g${key}`);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    }
    expect(await page.getByRole('link', { name: 'Triggers', exact: true }).innerText()).toMatch(/g t/);
  });
});
