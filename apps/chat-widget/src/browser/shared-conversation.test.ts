import { describeInBrowser, until } from '@relata/testing';
import { expect, test } from 'vitest';
import type { AnswerStream } from './answer.harness.ts';
import { expectText, type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

describeInBrowser('A conversation that is shown in several places', (browser) => {
  const site = useSite();

  /** Opens a page with two widgets of the same gateway and key, and returns the locators of each. */
  async function visitTwo() {
    const tab = await openPage(browser(), site);
    await tab.page.evaluate(() => {
      const first = document.querySelector('relata-chat')!;
      first.after(first.cloneNode());
    });
    const widgets = tab.page.locator('relata-chat');
    const widgetAt = (place: number) => ({
      widget: widgets.nth(place),
      questions: widgets.nth(place).locator('.question p'),
      answers: widgets.nth(place).locator('.answer .markdown'),
      ask: async (question: string) => {
        await widgets.nth(place).getByLabel('Your question').fill(question);
        await widgets.nth(place).getByLabel('Your question').press('Enter');
      },
    });
    return { tab, first: widgetAt(0), second: widgetAt(1) };
  }

  test('two widgets with the same key continue one conversation, and only the one that is asked sends an event', async () => {
    const { tab, first, second } = await visitTwo();
    await using _tab = tab;
    await tab.page.evaluate(() => {
      const answered: number[] = [];
      Object.assign(window, { answered });
      document.addEventListener('relata-answer', ({ target }) =>
        answered.push([...document.querySelectorAll('relata-chat')].indexOf(target as Element)),
      );
    });
    await first.ask('In the first?');
    await expectText(second.answers, 'Fine.');
    await second.ask('In the second?');
    await expectText(first.answers.nth(1), 'Fine.');
    await first.ask('In the first again?');
    await expectText(second.answers.nth(2), 'Fine.');
    expect(site.questions.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(await tab.page.evaluate(() => (window as unknown as { answered: number[] }).answered)).toEqual([0, 1, 0]);
    await tab.page.reload();
    await expectText(first.questions.nth(2), 'In the first again?');
    expect(await first.questions.allInnerTexts()).toEqual(['In the first?', 'In the second?', 'In the first again?']);
  });

  test('an answer continues while one of the widgets that show it is left', async () => {
    const { tab, first, second } = await visitTwo();
    await using _tab = tab;
    const { promise: held, resolve: hold } = Promise.withResolvers<AnswerStream>();
    site.answers.push(async (stream) => {
      hold(stream);
      await stream.closed;
    });
    await first.ask('?');
    const stream = await held;
    stream.say('The beginning');
    await expectText(second.answers, 'The beginning');
    await first.widget.evaluate((widget) => widget.remove());
    stream.say(' and the end.');
    stream.finish();
    await expectText(first.answers, 'The beginning and the end.');
  });

  test('a page that clears its storage while it shows no widget clears the conversation', async () => {
    await using tab = await openPage(browser(), site);
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
    await tab.page.locator('relata-chat').evaluate((widget) => {
      widget.remove();
      sessionStorage.clear();
      document.body.append(widget.cloneNode());
    });
    await tab.page.locator('.welcome').waitFor();
  });

  /** Continues the stored conversation as another page of the tab does, and returns to this page. */
  const returnFrom = ({ page }: TestPage, question: string) =>
    page.evaluate((text) => {
      const name = Object.keys(sessionStorage).find((key) => key.startsWith('relata-chat'))!;
      const stored = JSON.parse(sessionStorage.getItem(name)!);
      stored.messages.push({ role: 'user', text, state: 'done' }, { role: 'assistant', text, state: 'done' });
      sessionStorage.setItem(name, JSON.stringify(stored));
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    }, question);

  test('a page to which the visitor returns continues what was asked on other pages', async () => {
    await using tab = await openPage(browser(), site);
    await tab.ask('Here?');
    await expectText(tab.answers, 'Fine.');
    await returnFrom(tab, 'On another page?');
    await expectText(tab.answers.nth(1), 'On another page?');
    await tab.ask('Here again?');
    await until(() => expect(site.questions).toHaveLength(2));
    expect(site.questions[1]!.messages).toHaveLength(5);
  });

  test('a page to which the visitor returns keeps what was typed into a form', async () => {
    await using tab = await openPage(browser(), site);
    await tab.page.getByRole('button', { name: 'Book a demo' }).click();
    const name = tab.page.locator('.demo-form [name="name"]');
    await name.fill('Ada');
    await returnFrom(tab, 'On another page?');
    await expectText(tab.answers.nth(1), 'On another page?');
    expect(await name.inputValue()).toBe('Ada');
  });
});
