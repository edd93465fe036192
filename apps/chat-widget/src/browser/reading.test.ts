import { describeInBrowser, until } from '@relata/testing';
import axe from 'axe-core';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AnswerStream, textAnswer } from './answer.harness.ts';
import { expectText, phone, type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

const wideTable =
  '| Plan | Seats included | Price for each seat | Single sign-on | Support |\n| - | - | - | - | - |\n' +
  '| Starter | two seats | free of charge | not included | by email |\n| Team | unlimited | 29 euros a month | included | by phone |';

describeInBrowser('Reading an answer', (browser) => {
  const site = useSite();

  const page = (id: string, title: string, host = 'docs.example') => ({ id, title, url: `https://${host}/${id}` });

  async function answered(tab: TestPage, text: string, sources: Parameters<typeof textAnswer>[1] = []): Promise<void> {
    site.answers.push(textAnswer(text, sources));
    const count = await tab.answers.count();
    await tab.ask('?');
    await tab.page.locator('.answer.done').nth(count).waitFor();
  }

  const boxOf = async (locator: Locator) => (await locator.boundingBox())!;
  const middleOf = async (locator: Locator) => {
    const { y, height } = await boxOf(locator);
    return y + height / 2;
  };

  test.each([
    ['one line', ''],
    ['two lines', 'docs.example'],
  ])('number, title and arrow of a source are vertically centred in its card, with %s', async (_lines, host) => {
    await using tab = await openPage(browser(), site);
    await answered(tab, 'It costs 49 euros [1].', [page('1', 'Plans', host || new URL(site.url).host)]);
    const card = tab.page.locator('.sources a');
    expect(await card.locator('.host').count()).toBe(host === '' ? 0 : 1);
    const text = card.locator(host === '' ? '.title' : '.page');
    for (const part of [card.locator('.number'), text, card.locator('.icon')])
      expect(Math.abs((await middleOf(part)) - (await middleOf(card)))).toBeLessThan(1);
  });

  test.each([420, 1_200])(
    'at %i px the inline header is aligned with the conversation on both sides',
    async (width) => {
      await using tab = await openPage(browser(), site, { viewport: { width, height: 700 } });
      const conversation = await tab.page.locator('.welcome').boundingBox();
      const [title, pill] = [await boxOf(tab.page.locator('h2')), await boxOf(tab.page.locator('.demo span'))];
      const end = conversation!.x + conversation!.width;
      expect(title.x).toBeCloseTo(conversation!.x, 0);
      expect(pill.x + pill.width).toBeCloseTo(end, 0);
      await answered(tab, 'Fine.');
      const icon = await boxOf(tab.page.getByLabel('New conversation').locator('.icon'));
      expect(icon.x + icon.width).toBeCloseTo(end, 0);
    },
  );

  test.each(['ltr', 'rtl'])(
    'a table wider than a phone shows on which sides columns are hidden, and the keyboard scrolls it, %s',
    async (dir) => {
      await using tab = await openPage(browser(), site, { ...phone, viewport: { width: 375, height: 667 }, dir });
      await answered(tab, wideTable);
      const region = tab.page.getByRole('region', { name: 'Table 1 of answer 1' });
      const hidden = () =>
        tab.page
          .locator('.table')
          .evaluate((table) => ['::before', '::after'].map((side) => getComputedStyle(table, side).content !== 'none'));
      await until(async () => expect(await hidden()).toEqual([false, true]));
      await region.focus();
      expect(await region.evaluate((element) => element.matches(':focus'))).toBe(true);
      const [onwards, back] = dir === 'ltr' ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight'];
      await region.press(onwards!);
      await until(async () => expect(await hidden()).toEqual([true, true]));
      for (let presses = 0; presses < 20; presses++) await region.press(onwards!);
      await until(async () => expect(await hidden()).toEqual([true, false]));
      for (let presses = 0; presses < 20; presses++) await region.press(back!);
      await until(async () => expect(await hidden()).toEqual([false, true]));
    },
  );

  test('a table shows no hint of hidden columns while it fits', async () => {
    await using tab = await openPage(browser(), site, { viewport: { width: 900, height: 700 } });
    await answered(tab, wideTable);
    const table = tab.page.locator('.table');
    expect(await table.getAttribute('class')).toBe('table ');
    await tab.page.setViewportSize({ width: 375, height: 667 });
    await until(async () => expect(await table.getAttribute('class')).toBe('table more-after'));
  });

  test('citations are numbered in the order of their first appearance, and so are the sources', async () => {
    await using tab = await openPage(browser(), site);
    await answered(tab, 'One `[9]` [3], two **[1]** and [3], three [7] [2].', [
      page('1', 'Plans'),
      page('2', 'Limits'),
      page('3', 'Security'),
      page('9', 'Unused'),
    ]);
    const text = (await tab.answers.innerText()).replaceAll('\u202f', ' ');
    expect(text).toBe('One [9] 1, two 2 and 1, three [7] 3.');
    const marks = tab.answers.locator('a');
    expect(await marks.evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')))).toEqual([
      'Source 1: Security',
      'Source 2: Plans',
      'Source 1: Security',
      'Source 3: Limits',
    ]);
    expect(await tab.page.locator('.sources a .number').allInnerTexts()).toEqual(['1', '2', '3', '4']);
    expect(await tab.page.locator('.sources a .title').allInnerTexts()).toEqual([
      'Security',
      'Plans',
      'Limits',
      'Unused',
    ]);
  });

  test('a citation keeps its number from its first appearance on, and the gateway receives the original one', async () => {
    await using tab = await openPage(browser(), site);
    const { promise: held, resolve: hold } = Promise.withResolvers<AnswerStream>();
    site.answers.push(async (stream) => {
      hold(stream);
      await stream.closed;
    });
    await tab.ask('?');
    const stream = await held;
    stream.say('One [3], ');
    await expectText(tab.answers, /^One.1,/);
    stream.say('two [1]');
    await expectText(tab.answers, /^One.1, two.2$/);
    for (const { id, url, title } of [page('1', 'Plans'), page('3', 'Security')])
      stream.send({ type: 'source-url', sourceId: id, url, title });
    stream.finish();
    await tab.page.locator('.sources').waitFor();
    await expectText(tab.answers, /^One.1, two.2$/);
    await tab.ask('And?');
    await until(() => expect(site.questions).toHaveLength(2));
    expect(site.questions[1]!.messages[1]!.parts[0]!.text).toBe('One [3], two [1]');
  });

  test('every region of a conversation has a unique name, however many tables, code blocks and sources there are', async () => {
    await using tab = await openPage(browser(), site);
    const block = '| a |\n| - |\n| b |\n\n```\nc\n```';
    const nested = block.replaceAll(/^/gm, '> ');
    for (let answers = 0; answers < 2; answers++)
      await answered(tab, `${block}\n\n${nested}\n\nSee [1].`, [page('1', 'Plans')]);
    await tab.page.evaluate(axe.source);
    const { violations } = await tab.page.evaluate(() =>
      (window as unknown as { axe: typeof axe }).axe.run({ runOnly: ['landmark-unique', 'region'] }),
    );
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const names = await tab.page.evaluate(() => {
      const root = document.querySelector('relata-chat')!.shadowRoot!;
      return [...root.querySelectorAll('.answer :is([role=region], section)')].map((region) =>
        region.getAttribute('aria-label'),
      );
    });
    const ofAnswer = (answer: number) =>
      ['Table 1', 'Code 1', 'Table 2', 'Code 2', 'Sources'].map((name) => `${name} of answer ${answer}`);
    expect(names).toEqual([...ofAnswer(1), ...ofAnswer(2)]);
  });

  test('a page that loads with a closed panel draws the conversation only once the panel is opened', async () => {
    await using tab = await openPage(browser(), site, { attributes: '' });
    await tab.open();
    await answered(tab, 'Fine.');
    await tab.page.reload();
    await tab.page.locator('.launcher').waitFor();
    expect(await tab.page.locator('.answer').count()).toBe(0);
    await tab.open();
    await expectText(tab.answers, 'Fine.');
    await tab.input.fill('Not said yet');
    await tab.page.locator('.launcher').click();
    await tab.open();
    expect(await tab.input.inputValue()).toBe('Not said yet');
  });
});
