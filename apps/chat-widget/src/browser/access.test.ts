import { describeInBrowser, until } from '@relata/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AnswerStream, demoAnswer, refusal, textAnswer, unanswered } from './answer.harness.ts';
import { expectText, focused, phone, type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

const launcher = 'name="Acme assistant" suggestions="What does it cost?|Why?"';
const inline = `mode="inline" ${launcher}`;
const markdown =
  '# A\n\nIt **costs** `49` [1], see [there](https://a.example).\n\n- a\n\n| b |\n| - |\n| c |\n\n```\nd\n```';
const sources = [{ id: '1', title: 'Plans', url: 'https://docs.example/plans' }];

/** Sets the page's own colours for the scheme, since axe checks only explicit colours. */
function paintPage(scheme: 'light' | 'dark'): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(scheme === 'dark' ? 'html { background: #111; color: #eee }' : 'html { background: #fff }');
  document.adoptedStyleSheets = [sheet];
}

describeInBrowser('For every visitor', (browser) => {
  const site = useSite();

  /** Checks a state: all rules in the light scheme, only the colours in the dark scheme. */
  async function expectAccessible(page: Page, state: string): Promise<void> {
    const schemes: readonly ['light' | 'dark', axe.RunOptions][] = [
      ['light', {}],
      ['dark', { runOnly: ['color-contrast'] }],
    ];
    for (const [scheme, options] of schemes) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.evaluate(paintPage, scheme);
      expect(await faultsOf(page, options), `${state}, ${scheme}`).toEqual([]);
    }
  }

  async function faultsOf(page: Page, options: axe.RunOptions): Promise<string[]> {
    const { violations, incomplete } = await page.evaluate(
      (given) =>
        (window as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations', 'incomplete'], ...given }),
      options,
    );
    // Contrast that axe could not determine counts as a violation.
    const untold = incomplete.filter(({ id }) => id === 'color-contrast');
    return [...violations, ...untold].flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }

  test.each([
    ['launcher', launcher],
    ['inline', inline],
  ] as const)('axe finds no violation in any state, %s, light and dark', async (mode, attributes) => {
    // Uses a separate context, because the scheme changes.
    await using tab = await openPage(browser(), site, { attributes, colorScheme: 'light' });
    await tab.page.evaluate(axe.source);
    if (mode === 'launcher') await expectAccessible(tab.page, 'closed');
    if (mode === 'launcher') await tab.open();
    await tab.page.locator('.suggestions').waitFor();
    await expectAccessible(tab.page, 'greeting');
    site.answers.push(textAnswer(markdown, sources));
    await tab.ask('What does it cost?');
    await tab.page.locator('.sources').waitFor();
    await expectAccessible(tab.page, 'answer');
    site.answers.push(unanswered);
    await tab.page.getByLabel('Bad answer').click();
    await tab.ask('Who won?');
    await tab.page.locator('.contact').waitFor();
    await expectAccessible(tab.page, 'no answer');
    site.answers.push(demoAnswer('Please check.', { name: '' }));
    await tab.ask('A demo?');
    await tab.page.locator('.demo-form .primary').click();
    await tab.page.locator('.problem').first().waitFor();
    await expectAccessible(tab.page, 'form with problems');
    site.answers.push(refusal(429, 'rate_limited', { 'retry-after': '60' }));
    await tab.ask('And?');
    await tab.page.locator('.notice').waitFor();
    await expectAccessible(tab.page, 'error');
  });

  test('the widget works with the keyboard alone, and restores the focus', async () => {
    await using tab = await openPage(browser(), site, { attributes: launcher });
    const { keyboard } = tab.page;
    await tab.page.locator('.launcher').waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    expect(await focused(tab.page)).toBe('Acme assistant');
    await keyboard.press('Enter');
    await until(async () => expect(await focused(tab.page)).toBe('Your question'));
    site.answers.push(textAnswer('See [1].', sources));
    await keyboard.type('First line');
    await keyboard.press('Shift+Enter');
    await keyboard.type('second line');
    await keyboard.press('Enter');
    await expectText(tab.answers, 'See 1'.replace(' ', '\u202f'));
    expect(site.questions[0]!.messages[0]!.parts[0]!.text).toBe('First line\nsecond line');
    for (const name of ['Bad answer', 'Good answer', '', 'Source 1: Plans']) {
      await keyboard.press('Shift+Tab');
      expect(await focused(tab.page)).toBe(name);
    }
    await keyboard.press('Escape');
    await until(async () => expect(await focused(tab.page)).toBe('Acme assistant'));
    expect(await tab.page.getByRole('dialog').count()).toBe(0);
  });

  test('an Enter that ends the composition of an input method sends nothing', async () => {
    await using tab = await openPage(browser(), site);
    await tab.input.fill('にほん');
    await tab.input.evaluate((input) => {
      const key = { key: 'Enter', bubbles: true, cancelable: true };
      input.dispatchEvent(new KeyboardEvent('keydown', { ...key, isComposing: true }));
      input.dispatchEvent(new KeyboardEvent('keydown', { ...key, keyCode: 229 }));
    });
    await tab.input.press('!');
    await tab.input.press('Enter');
    await expectText(tab.answers, 'Fine.');
    expect(site.questions.map(({ messages }) => messages[0]!.parts[0]!.text)).toEqual(['にほん!']);
  });

  test('a finished answer is announced once and as a whole; earlier messages are not', async () => {
    await using tab = await openPage(browser(), site);
    const log = tab.page.getByRole('log');
    const { promise: held, resolve: hold } = Promise.withResolvers<AnswerStream>();
    site.answers.push(async (stream) => {
      hold(stream);
      await stream.closed;
    });
    await tab.page.evaluate(() => {
      const said: string[] = [];
      const region = document.querySelector('relata-chat')!.shadowRoot!.querySelector('[role=log]')!;
      new MutationObserver(() => said.push(region.textContent)).observe(region, { childList: true, subtree: true });
      Object.assign(window, { said });
    });
    await tab.ask('What does it cost?');
    const stream = await held;
    for (const [text, seen] of [
      ['It **costs** ', 'It costs'],
      ['[49](https://a.example) &amp; more [1].', '49 & more'],
    ] as const) {
      stream.say(text);
      await expectText(tab.answers, seen);
    }
    stream.finish();
    await expectText(log, 'It costs 49 & more.');
    const said = await tab.page.evaluate(() => (window as unknown as { said: string[] }).said);
    expect(said.filter((text) => text !== 'Answering.')).toEqual(['It costs 49 & more.']);
    await tab.page.reload();
    await expectText(tab.answers, 'It costs');
    expect(await log.innerText()).toBe('');
  });

  test('on a phone the panel is a modal sheet that keeps the focus and fills the screen', async () => {
    await using tab = await openPage(browser(), site, { attributes: launcher, ...phone });
    await tab.open();
    const dialog = tab.page.getByRole('dialog');
    expect(await dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
    expect(await dialog.evaluate((element) => element.matches(':modal'))).toBe(true);
    for (let presses = 0; presses < 12; presses++) {
      await tab.page.keyboard.press('Tab');
      expect(await focused(tab.page)).not.toBe('page');
    }
    await tab.page.keyboard.press('Escape');
    await until(async () => expect(await focused(tab.page)).toBe('Acme assistant'));
  });

  test('a window that becomes small or large again keeps the focus and the caret in the field being filled in', async () => {
    await using tab = await openPage(browser(), site, { attributes: launcher, viewport: { width: 900, height: 700 } });
    await tab.open();
    await tab.page.getByRole('button', { name: 'Book a demo' }).click();
    await tab.page.getByText('More details').click();
    const company = tab.page.getByLabel('Company');
    await company.pressSequentially('Ame');
    for (const _letter of 'me') await company.press('ArrowLeft');
    const dialog = tab.page.getByRole('dialog');
    const isModal = () => dialog.evaluate((element) => element.matches(':modal'));
    for (const [width, wasTyped] of [
      [500, 'Acme'],
      [900, 'Accme'],
    ] as const) {
      await tab.page.setViewportSize({ width, height: 700 });
      await until(async () => expect(await isModal()).toBe(width === 500));
      expect(await focused(tab.page)).toBe('field-company');
      await tab.page.keyboard.type('c');
      expect(await company.inputValue()).toBe(wasTyped);
    }
    await tab.page.keyboard.press('Escape');
    await until(async () => expect(await focused(tab.page)).toBe('Acme assistant'));
    await tab.page.keyboard.press('Enter');
    await until(async () => expect(await focused(tab.page)).toBe('Your question'));
  });

  test('every touch target is at least 44 pixels large', async () => {
    await using tab = await openPage(browser(), site, { attributes: launcher, ...phone });
    await tab.open();
    site.answers.push(unanswered, demoAnswer('Fine.', {}));
    await tab.ask('Who won?');
    await tab.page.locator('.contact').waitFor();
    expect(await smallTargets(tab)).toEqual([]);
    await tab.ask('A demo?');
    await tab.page.locator('.demo-form').waitFor();
    expect(await smallTargets(tab)).toEqual([]);
  });

  const smallTargets = ({ page }: TestPage) =>
    page.evaluate(() => {
      const root = document.querySelector('relata-chat')!.shadowRoot!;
      const targets = [...root.querySelectorAll<HTMLElement>('button, summary, input, select, textarea')];
      return targets
        .filter((target) => target.offsetHeight < 44 || target.offsetWidth < 44)
        .map(({ outerHTML }) => outerHTML);
    });

  test('at 200 % zoom and with right-to-left text, everything stays within the screen', async () => {
    const narrow = { width: 640, height: 360 };
    await using tab = await openPage(browser(), site, { attributes: launcher, dir: 'rtl', viewport: narrow });
    await tab.open();
    site.answers.push(textAnswer(`${markdown}\n\n${'x'.repeat(300)}`, sources));
    await tab.ask('What does it cost?');
    await tab.page.locator('.sources').waitFor();
    const scroller = tab.page.locator('.scroller');
    expect(await scroller.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect((await scroller.boundingBox())!.height).toBeGreaterThan(200);
    const [close, title] = [
      await tab.page.locator('.tool').last().boundingBox(),
      await tab.page.locator('h2').boundingBox(),
    ];
    expect(close!.x).toBeLessThan(title!.x);
  });

  test('with reduced motion nothing moves', async () => {
    await using tab = await openPage(browser(), site, { attributes: launcher });
    site.answers.push((stream) => stream.raw(': nothing yet\n\n'));
    await tab.open();
    await tab.ask('?');
    await tab.page.locator('.thinking').waitFor();
    const moving = await tab.page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
    await tab.page.getByLabel('Stop the answer').click();
  });

  test('the colours follow the scheme of the visitor unless the page sets one', async () => {
    const surface = ({ page }: TestPage) =>
      page.locator('.panel').evaluate((panel) => getComputedStyle(panel).backgroundColor);
    const seen = async (theme: string, colorScheme: 'light' | 'dark') => {
      await using tab = await openPage(browser(), site, { attributes: `mode="inline" theme="${theme}"`, colorScheme });
      return await surface(tab);
    };
    const [light, dark] = [await seen('auto', 'light'), await seen('auto', 'dark')];
    expect(light).not.toBe(dark);
    expect(await seen('light', 'dark')).toBe(light);
    expect(await seen('dark', 'light')).toBe(dark);
  });
});
