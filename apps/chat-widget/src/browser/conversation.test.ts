import { describeInBrowser, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { type AnswerStream, demoAnswer, refusal, textAnswer } from './answer.harness.ts';
import { expectText, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

const sources = [{ id: '1', title: 'Plans and pricing', url: 'https://docs.example/pricing' }];

describeInBrowser('A conversation', (browser) => {
  const site = useSite();

  /** Returns the stream of the next answer once it is requested, so that the test can write the answer. */
  function heldAnswer(): Promise<AnswerStream> {
    return new Promise((resolve) => {
      site.answers.push(async (stream) => {
        resolve(stream);
        await stream.closed;
      });
    });
  }

  test('a question is sent with the key, and its answer is shown with sources', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push(textAnswer('It costs **49 euros** [1].', sources));
    await tab.ask('What does it cost?');
    await expectText(tab.page.locator('.sources'), 'Plans and pricing');
    await expectText(tab.answers, 'It costs 49 euros');
    expect(await tab.page.locator('.question').innerText()).toContain('What does it cost?');
    expect(site.keys).toEqual(['relata_pk_test']);
    expect(site.questions[0]).toMatchObject({
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'What does it cost?' }] }],
      trigger: 'submit-message',
    });
  });

  test('the next question carries the earlier messages, in the same session', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push(textAnswer('One.'));
    await tab.ask('First?');
    await expectText(tab.answers, 'One.');
    await tab.ask('Second?');
    await expectText(tab.answers.nth(1), 'Fine.');
    const [first, second] = site.questions;
    expect(second!.messages.map(({ parts }) => parts[0]!.text)).toEqual(['First?', 'One.', 'Second?']);
    expect(second!.session_id).toBe(first!.session_id);
  });

  test('an answer is shown while it is written, and parts of unknown kinds and keep-alives change nothing', async () => {
    await using tab = await openPage(browser(), site);
    const held = heldAnswer();
    await tab.ask('?');
    const stream = await held;
    stream.raw(': stream-open\n\n');
    stream.say('It is **bo');
    await expectText(tab.answers, 'It is **bo');
    stream.send({ type: 'data-weather', data: {} });
    stream.raw(': keep-alive\r\n\r\n');
    stream.say('ld** and [1]');
    await expectText(tab.answers, /^It is bold and.1$/);
    expect(await tab.answers.locator('strong').innerText()).toBe('bold');
    stream.finish();
    await expectText(tab.answers, 'It is bold and [1]');
  });

  test('stopping ends the request, keeps the text so far, and lets the visitor continue', async () => {
    await using tab = await openPage(browser(), site);
    const held = heldAnswer();
    await tab.ask('?');
    const stream = await held;
    stream.say('The beginning');
    await expectText(tab.answers, 'The beginning');
    await tab.page.getByLabel('Stop the answer').click();
    await stream.closed;
    await expectText(tab.page.locator('.answer'), 'You stopped this answer.');
    await tab.ask('Again?');
    await expectText(tab.answers.nth(1), 'Fine.');
    expect(site.questions[1]!.messages.map(({ parts }) => parts[0]!.text)).toEqual(['?', 'The beginning', 'Again?']);
  });

  test.each<[string, (stream: AnswerStream) => void, RegExp]>([
    ['a connection that breaks', (stream) => stream.cut(), /cut off before its end/],
    ['an end without finish', (stream) => stream.raw('data: [DONE]\n\n'), /cut off before its end/],
    ['a frame that is not JSON', (stream) => stream.raw('data: {"type":\n\n'), /cut off before its end/],
    [
      'an error part',
      (stream) => stream.send({ type: 'error', errorText: 'Inside <b>words</b>' }),
      /went wrong while answering/,
    ],
  ])('an answer that ends by %s keeps its text, shows an error, and offers to ask again', async (_what, end, text) => {
    await using tab = await openPage(browser(), site);
    const held = heldAnswer();
    await tab.ask('?');
    const stream = await held;
    stream.say('The beginning');
    await expectText(tab.answers, 'The beginning');
    end(stream);
    await expectText(tab.page.locator('.notice'), text);
    expect(await tab.page.locator('.notice').innerText()).not.toContain('Inside');
    await expectText(tab.page.locator('.answer'), 'The rest of this answer is missing.');
    await stream.closed;
    await tab.page.getByRole('button', { name: 'Try again' }).click();
    await expectText(tab.answers, 'Fine.');
    expect(site.questions.map(({ messages }) => messages.length)).toEqual([1, 1]);
    expect(await tab.page.locator('.notice').count()).toBe(0);
  });

  test('a question over the rate limit can be asked again after a countdown, and not before', async () => {
    await using tab = await openPage(browser(), site);
    // Time passes as usual, but the test can advance it.
    await tab.page.clock.install();
    site.answers.push(refusal(429, 'rate_limited', { 'retry-after': '300' }));
    await tab.ask('?');
    const retry = tab.page.locator('.retry');
    await expectText(retry, /^Try again in (300|2\d\d) s$/);
    await tab.page.clock.fastForward(200_000);
    await expectText(retry, /^Try again in \d\d s$/);
    await tab.ask('And now?');
    expect(await retry.isDisabled()).toBe(true);
    await tab.page.clock.fastForward(100_000);
    await expectText(retry, /^Try again$/);
    expect(site.questions).toHaveLength(1);
    expect(await tab.input.inputValue()).toBe('And now?');
    await retry.click();
    await expectText(tab.answers, 'Fine.');
  });

  test.each([
    [401, 'This chat is not set up for this site.', 0],
    [400, 'This message was not accepted.', 1],
    [503, 'The chat is not available right now.', 1],
  ])('status %i is shown as: %s', async (status, text, retries) => {
    await using tab = await openPage(browser(), site);
    site.answers.push(refusal(status, 'some_error'));
    await tab.ask('?');
    await expectText(tab.page.locator('.notice'), text);
    expect(await tab.page.locator('.notice').innerText()).not.toContain('Internal');
    expect(await tab.page.locator('.retry').count()).toBe(retries);
  });

  test('without a network the visitor sees an error, and can ask again once it is back', async () => {
    await using tab = await openPage(browser(), site);
    await tab.page.context().setOffline(true);
    await tab.ask('?');
    await expectText(tab.page.locator('.notice'), 'could not be reached');
    await tab.page.context().setOffline(false);
    await tab.page.locator('.retry').click();
    await expectText(tab.answers, 'Fine.');
  });

  test('an empty answer is shown as an error', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push((stream) => stream.finish());
    await tab.ask('?');
    await expectText(tab.page.locator('.notice'), 'went wrong while answering');
  });

  test('a conversation survives a reload, and a new one deletes it', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push(textAnswer('It costs 49 euros [1].', sources));
    await tab.ask('What does it cost?');
    await tab.page.locator('.sources').waitFor();
    await tab.page.reload();
    await expectText(tab.answers, 'It costs 49 euros');
    expect(await tab.page.locator('.sources a').count()).toBe(1);
    await tab.page.getByLabel('New conversation').click();
    await tab.page.locator('.welcome').waitFor();
    await tab.page.reload();
    await tab.page.locator('.welcome').waitFor();
    await tab.ask('Anew?');
    await until(() => expect(site.questions).toHaveLength(2));
    expect(site.questions[1]!.messages).toHaveLength(1);
    expect(site.questions[1]!.session_id).not.toBe(site.questions[0]!.session_id);
  });

  test('after a reload in the middle of an answer the question is still there, and can be asked again', async () => {
    await using tab = await openPage(browser(), site);
    const held = heldAnswer();
    await tab.ask('Still there?');
    (await held).say('Half');
    await expectText(tab.answers, 'Half');
    await tab.page.reload();
    await expectText(tab.page.locator('.question'), 'Still there?');
    await tab.page.locator('.retry').click();
    await expectText(tab.answers, 'Fine.');
  });

  test('without storage the chat works until the page is left', async () => {
    const refuse = () =>
      Object.defineProperty(window, 'sessionStorage', {
        get: () => {
          throw new DOMException('refused', 'SecurityError');
        },
      });
    await using tab = await openPage(browser(), site, { before: refuse });
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
    await tab.page.reload();
    await tab.page.locator('.welcome').waitFor();
  });

  test('the view follows the end of an answer until the reader scrolls up', async () => {
    await using tab = await openPage(browser(), site);
    const scroller = tab.page.locator('.scroller');
    const distance = () => scroller.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    const held = heldAnswer();
    await tab.ask('?');
    const stream = await held;
    stream.say('A line.\n\n'.repeat(60));
    await until(async () => expect(await tab.answers.locator('p').count()).toBe(60));
    await until(async () => expect(await distance()).toBeLessThan(2));
    await scroller.evaluate((box) => (box.scrollTop = 100));
    const jump = tab.page.getByLabel('Jump to the latest');
    await jump.waitFor();
    stream.say('Another line.\n\n'.repeat(10));
    await until(async () => expect(await tab.answers.locator('p').count()).toBe(70));
    expect(await scroller.evaluate((box) => box.scrollTop)).toBe(100);
    await jump.click();
    await until(async () => expect(await distance()).toBeLessThan(2));
    stream.finish();
  });

  test('text that is already drawn is not drawn again while an answer grows', async () => {
    await using tab = await openPage(browser(), site);
    const held = heldAnswer();
    await tab.ask('?');
    const stream = await held;
    stream.say('First paragraph.\n\nSecond');
    await expectText(tab.answers, 'Second');
    await tab.answers.evaluate((root) => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const observer = new MutationObserver((changes) =>
        seen.push(...changes.map(({ target }) => `${target.textContent}`)),
      );
      observer.observe(root.firstElementChild!, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    for (const word of ['paragraph', 'grows', 'and', 'grows.']) stream.say(` ${word}`);
    await expectText(tab.answers, 'Second paragraph grows and grows.');
    expect(await tab.page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([]);
    stream.finish();
  });

  test('a click on a suggestion asks it', async () => {
    await using tab = await openPage(browser(), site, {
      attributes: 'mode="inline" suggestions="What does it cost? | | Why?"',
    });
    expect(await tab.page.locator('.suggestions button').allInnerTexts()).toEqual(['What does it cost?', 'Why?']);
    await tab.page.getByRole('button', { name: 'Why?' }).click();
    await expectText(tab.answers, 'Fine.');
    expect(site.questions[0]!.messages[0]!.parts[0]!.text).toBe('Why?');
  });

  test('an answer that reached the length limit of the model has a note, also after a reload', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push((stream) => {
      stream.say('The beginning');
      stream.send({ type: 'finish', finishReason: 'length' });
      stream.finish();
    });
    await tab.ask('?');
    await expectText(tab.page.locator('.answer .ending'), 'This answer reached its length limit.');
    await expectText(tab.page.getByRole('log'), 'The beginning This answer reached its length limit.');
    expect(await tab.page.locator('.notice').count()).toBe(0);
    await tab.page.reload();
    await expectText(tab.page.locator('.answer .ending'), 'This answer reached its length limit.');
    await tab.ask('And?');
    await expectText(tab.answers.nth(1), 'Fine.');
    expect(await tab.page.locator('.ending').count()).toBe(1);
  });

  test('an endless answer is cut at 32,000 characters, and has a note', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push(textAnswer('0123456789\n\n'.repeat(4_000)));
    await tab.ask('?');
    await tab.page.locator('.answer.done').waitFor();
    expect((await tab.answers.innerText()).length).toBeLessThan(33_000);
    await expectText(tab.page.locator('.ending'), 'This answer reached its length limit.');
  });

  test('an answer that ends with a form is shown from its beginning', async () => {
    await using tab = await openPage(browser(), site, {
      attributes: 'mode="inline"',
      viewport: { width: 500, height: 500 },
    });
    site.answers.push(demoAnswer(`Here is the form.${'\n\nA line.'.repeat(20)}`, {}));
    await tab.ask('A demo?');
    await tab.page.locator('.demo-form').waitFor();
    const top = async () =>
      (await tab.answers.boundingBox())!.y - (await tab.page.locator('.scroller').boundingBox())!.y;
    await until(async () => expect(await top()).toBeLessThan(80));
    expect(await top()).toBeGreaterThanOrEqual(0);
  });
});
