import { describeInBrowser } from '@relata/testing';
import { describe, expect, test } from 'vitest';
import { type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

describeInBrowser('Keys in the widget', (browser) => {
  const site = useSite();

  async function openPageAs(mode: string): Promise<TestPage> {
    const tab = await openPage(browser(), site, { attributes: `mode="${mode}"` });
    if (mode === 'launcher') await tab.open();
    return tab;
  }

  /** Makes the page listen for keys. Returns a function that returns the events since its previous call. */
  async function listenForKeys({ page }: TestPage): Promise<() => Promise<string[]>> {
    await page.evaluate(() => {
      const keys: string[] = [];
      for (const type of ['keydown', 'keypress', 'keyup'])
        document.addEventListener(type, (event) => keys.push(`${type} ${(event as KeyboardEvent).key}`));
      Object.assign(window, { keys });
    });
    return () => page.evaluate(() => (window as unknown as { keys: string[] }).keys.splice(0));
  }

  describe.each(['launcher', 'inline'])('%s', (mode) => {
    test('text that a visitor types into a field does not trigger the shortcuts of the page', async () => {
      await using tab = await openPageAs(mode);
      const heard = await listenForKeys(tab);
      await tab.input.pressSequentially('/ a?');
      for (const key of ['Shift+Enter', 'ArrowLeft', 'Backspace']) await tab.input.press(key);
      expect((await heard()).filter((key) => !key.endsWith(' Shift'))).toEqual([]);
      expect(await tab.input.inputValue()).toBe('/ a\n');
      await tab.page.getByRole('button', { name: 'Book a demo' }).click();
      await tab.page.getByText('More details').click();
      await tab.page.getByLabel('Company').press('/');
      await tab.page.getByLabel('Team size').press('5');
      expect(await heard()).toEqual([]);
    });

    test('the page gets its shortcuts with Ctrl, and keys that type nothing into a field of the widget', async () => {
      await using tab = await openPageAs(mode);
      const heard = await listenForKeys(tab);
      await tab.input.press('Control+k');
      expect(await heard()).toEqual(['keydown Control', 'keydown k', 'keyup k', 'keyup Control']);
      await tab.input.press('F2');
      await tab.input.press('Tab');
      expect(await heard()).toEqual(['keydown F2', 'keyup F2', 'keydown Tab', 'keyup Tab']);
      await tab.page.getByRole('button', { name: 'Book a demo' }).press('/');
      expect(await heard()).toEqual(['keydown /', 'keypress /', 'keyup /']);
    });
  });

  test('the page gets an Escape that the widget does not use', async () => {
    await using tab = await openPage(browser(), site);
    const heard = await listenForKeys(tab);
    await tab.input.press('Escape');
    expect(await heard()).toEqual(['keydown Escape', 'keyup Escape']);
    await tab.page.locator('relata-chat').evaluate((widget) => widget.setAttribute('mode', 'launcher'));
    await tab.open();
    await tab.input.press('Escape');
    expect(await heard()).not.toContain('keydown Escape');
    await tab.page.locator('.launcher').press('Escape');
    expect(await heard()).toContain('keydown Escape');
  });
});
