import { describeInBrowser, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { demoAnswer, refusal, textAnswer } from './answer.harness.ts';
import { expectText, type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

interface Widget extends HTMLElement {
  open(): void;
  close(): void;
  ask(text: string): boolean;
}

describeInBrowser('On a page', (browser) => {
  const site = useSite();

  /**
   * Asks, and waits for the beginning of an answer that does not end by itself. `ended` resolves when the request of
   * the answer has ended.
   */
  async function beginAnswer(tab: TestPage): Promise<{ ended: Promise<void> }> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    site.answers.push(async (stream) => {
      stream.say('The beginning');
      await stream.closed;
      resolve();
    });
    await tab.ask('?');
    await expectText(tab.answers, 'The beginning');
    return { ended };
  }

  const evaluate = <Result>({ page }: TestPage, run: (widget: Widget) => Result) =>
    page.locator('relata-chat').evaluate(run as (element: Element) => Result);

  test.each(['async', 'defer', 'type="module"', ''])(
    "loaded with <script %s> from another origin under a strict policy, the widget uses the gateway at the script's origin",
    async (load) => {
      await using tab = await openPage(browser(), site, { load, script: `${site.gatewayUrl}/v1/genie/widget.js` });
      await tab.ask('?');
      await expectText(tab.answers, 'Fine.');
      expect(site.origins).toEqual([site.gatewayUrl]);
    },
  );

  test.each([
    '/others/widget.js',
    '/others/relata-chat.js',
    '/others/v1/genie/widget.js/loader.js',
    '/others/loader.js?for=/v1/genie/widget.js',
    '/others/loader.js#/v1/genie/widget.js',
  ])('someone else’s script at %s is not mistaken for the widget’s own', async (other) => {
    const load = `src="${other}"></script><script type="module"`;
    await using tab = await openPage(browser(), site, { load, script: `${site.gatewayUrl}/v1/genie/widget.js` });
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
    expect(site.origins).toEqual([site.gatewayUrl]);
  });

  test.each(['async', 'type="module"'])(
    'a renamed script, loaded with <script %s>, uses only the attribute `api`',
    async (load) => {
      const attributes = `mode="inline" api="${site.gatewayUrl}"`;
      await using tab = await openPage(browser(), site, { attributes, load, script: `${site.gatewayUrl}/renamed.js` });
      await tab.ask('?');
      await expectText(tab.answers, 'Fine.');
      await evaluate(tab, (widget) => widget.removeAttribute('api'));
      await tab.ask('?');
      await expectText(tab.answers, 'Fine.');
      await until(() => expect(site.origins).toEqual([site.gatewayUrl, site.url]));
    },
  );

  test('a script that is loaded twice does no harm', async () => {
    const load = 'async src="/v1/genie/widget.js"></script><script async';
    await using tab = await openPage(browser(), site, { load });
    expect(await tab.page.locator('script').count()).toBe(2);
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
  });

  test("a page can set the widget's colours with its own properties, whatever their names", async () => {
    await using tab = await openPage(browser(), site);
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
    const colour = await evaluate(tab, (widget) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(':root { --accent: rgb(1, 2, 3); } relata-chat { --relata-accent: var(--accent); }');
      document.adoptedStyleSheets = [sheet];
      const { backgroundColor } = getComputedStyle(widget.shadowRoot!.querySelector('.question p')!);
      document.adoptedStyleSheets = [];
      return backgroundColor;
    });
    expect(colour).toBe('rgb(1, 2, 3)');
  });

  test('no element has an inline style, and only the gateway gets requests', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push(
      textAnswer('![x](https://evil.example/x.png) [1]', [{ id: '1', title: '', url: 'https://a.example' }]),
    );
    await tab.ask('?');
    await tab.page.locator('.sources').waitFor();
    expect(
      await evaluate(tab, (widget) => widget.shadowRoot!.querySelectorAll('[style], style, link, img').length),
    ).toBe(0);
    const asked = await tab.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(asked.filter((name) => !name.startsWith(site.url))).toEqual([]);
    expect(site.strays).toEqual([]);
  });

  test('a page can open, ask and close, and gets events that leave the shadow root', async () => {
    await using tab = await openPage(browser(), site, { attributes: '' });
    await tab.page.evaluate(() => {
      const heard: [string, unknown][] = [];
      for (const name of ['relata-open', 'relata-close', 'relata-answer'])
        document.addEventListener(name, (event) => heard.push([name, (event as CustomEvent).detail]));
      Object.assign(window, { heard });
    });
    await tab.page.locator('.launcher').waitFor();
    expect(
      await evaluate(tab, (widget) => [widget.ask('From the page'), widget.ask('Too early'), widget.ask(' ')]),
    ).toEqual([true, false, false]);
    await expectText(tab.answers, 'Fine.');
    await evaluate(tab, (widget) => {
      widget.open();
      widget.close();
      widget.close();
    });
    expect(await tab.page.evaluate(() => (window as unknown as { heard: unknown }).heard)).toEqual([
      ['relata-open', null],
      ['relata-answer', { text: 'Fine.', sources: [] }],
      ['relata-close', null],
    ]);
    expect(site.questions).toHaveLength(1);
  });

  test('the open attribute opens and closes the panel, and shows whether it is open', async () => {
    await using tab = await openPage(browser(), site, { attributes: 'open' });
    const dialog = tab.page.getByRole('dialog');
    await dialog.waitFor();
    await tab.page.getByLabel('Close', { exact: true }).click();
    expect(await evaluate(tab, (widget) => widget.hasAttribute('open'))).toBe(false);
    expect(await dialog.count()).toBe(0);
    await evaluate(tab, (widget) => widget.setAttribute('open', ''));
    await dialog.waitFor();
  });

  test('an element that is removed ends its request, and works again once it is back in the page', async () => {
    await using tab = await openPage(browser(), site);
    const { ended } = await beginAnswer(tab);
    await evaluate(tab, (widget) => {
      Object.assign(window, { widget });
      widget.remove();
    });
    await ended;
    await tab.page.evaluate(() => document.body.append((window as unknown as { widget: Widget }).widget));
    await expectText(tab.page.locator('.answer'), 'You stopped this answer.');
    await tab.ask('Again?');
    await expectText(tab.answers.nth(1), 'Fine.');
  });

  test('changes of attributes take effect at once', async () => {
    await using tab = await openPage(browser(), site, { attributes: 'mode="inline" name="One"' });
    await expectText(tab.page.locator('h2'), 'One');
    await evaluate(tab, (widget) => {
      widget.setAttribute('name', '<b>Two</b>');
      widget.setAttribute('api-key', 'relata_pk_other');
      widget.setAttribute('mode', 'launcher');
    });
    await tab.open();
    await expectText(tab.page.locator('h2'), '<b>Two</b>');
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
    expect(site.keys).toEqual(['relata_pk_other']);
  });

  test('a conversation of one key is never sent with another, and is shown again with its own', async () => {
    await using tab = await openPage(browser(), site);
    const questions = tab.page.locator('.question p');
    await tab.ask('With the first?');
    await expectText(tab.answers, 'Fine.');
    await tab.input.fill('Not said yet');
    await evaluate(tab, (widget) => widget.setAttribute('api-key', 'relata_pk_other'));
    await tab.page.locator('.welcome').waitFor();
    expect(await tab.input.inputValue()).toBe('Not said yet');
    await tab.ask('With the other?');
    await expectText(tab.answers, 'Fine.');
    await evaluate(tab, (widget) => widget.setAttribute('api-key', 'relata_pk_test'));
    await expectText(questions, 'With the first?');
    expect(await tab.page.getByRole('log').innerText()).toBe('');
    await tab.ask('And again?');
    await expectText(tab.answers.nth(1), 'Fine.');
    expect(site.keys).toEqual(['relata_pk_test', 'relata_pk_other', 'relata_pk_test']);
    const said = site.questions.map(({ messages }) => messages.map(({ parts }) => parts[0]!.text));
    expect(said).toEqual([['With the first?'], ['With the other?'], ['With the first?', 'Fine.', 'And again?']]);
    expect(site.questions[1]!.session_id).not.toBe(site.questions[0]!.session_id);
    expect(site.questions[2]!.session_id).toBe(site.questions[0]!.session_id);
  });

  test('a new gateway address ends the current answer, which stays in the conversation of the old address', async () => {
    await using tab = await openPage(browser(), site);
    const { ended } = await beginAnswer(tab);
    await evaluate(tab, (widget) => widget.setAttribute('api', '/elsewhere'));
    await ended;
    await tab.page.locator('.welcome').waitFor();
    await evaluate(tab, (widget) => widget.removeAttribute('api'));
    await expectText(tab.page.locator('.answer'), 'The beginning');
    expect(site.strays).toEqual([]);
  });

  test('a key set to the same value changes nothing, and a key that changes outside the page takes effect', async () => {
    await using tab = await openPage(browser(), site);
    await tab.ask('With the first?');
    await expectText(tab.answers, 'Fine.');
    await evaluate(tab, (widget) => widget.setAttribute('api-key', 'relata_pk_test'));
    expect(await tab.answers.count()).toBe(1);
    await evaluate(tab, (widget) => {
      const place = widget.parentElement!;
      widget.remove();
      widget.setAttribute('api-key', 'relata_pk_other');
      place.append(widget);
    });
    await tab.page.locator('.welcome').waitFor();
    await tab.ask('With the other?');
    await expectText(tab.answers, 'Fine.');
    expect(site.keys).toEqual(['relata_pk_test', 'relata_pk_other']);
    expect(site.questions[1]!.messages).toHaveLength(1);
  });

  test('a demo form belongs to its conversation: another key does not show it', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push(demoAnswer('Please check.', { name: 'Ada' }));
    await tab.ask('A demo?');
    await tab.page.getByText('More details').click();
    await tab.page.getByLabel('Company').fill('Acme');
    await evaluate(tab, (widget) => widget.setAttribute('api-key', 'relata_pk_other'));
    await tab.page.locator('.welcome').waitFor();
    expect(await tab.page.locator('.demo-form').count()).toBe(0);
    await tab.page.getByRole('button', { name: 'Book a demo' }).click();
    expect(await tab.page.getByLabel('Name').inputValue()).toBe('');
    expect(await tab.page.getByLabel('Company').inputValue()).toBe('');
  });

  test('another gateway address is used, and an invalid one falls back to that of the script', async () => {
    await using tab = await openPage(browser(), site, { attributes: 'mode="inline" api="http://["' });
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
    await evaluate(tab, (widget) => widget.setAttribute('api', '/elsewhere/'));
    await tab.ask('?');
    await until(() => expect(site.strays).toEqual(['/elsewhere/v1/genie/chat']));
  });

  test('the page’s own styles stay outside, and its custom properties and parts get in', async () => {
    await using tab = await openPage(browser(), site);
    const colour = () => tab.page.locator('.send .icon').evaluate((icon) => getComputedStyle(icon).backgroundColor);
    await tab.page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`* { color: red !important; font-size: 3px } relata-chat { --relata-accent: rgb(1, 2, 3) }
        relata-chat::part(header) { letter-spacing: 7px }`);
      document.adoptedStyleSheets = [sheet];
    });
    await tab.input.fill('x');
    await until(async () => expect(await colour()).toBe('rgb(1, 2, 3)'));
    expect(await tab.page.locator('header').evaluate((header) => getComputedStyle(header).letterSpacing)).toBe('7px');
    const { size, ink } = await tab.page.locator('.hint').evaluate((hint) => ({
      size: getComputedStyle(hint).fontSize,
      ink: getComputedStyle(hint).color,
    }));
    expect(size).toBe('14px');
    expect(ink).not.toBe('rgb(255, 0, 0)');
  });

  test('a redirect is not followed, so that the key goes nowhere else', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push((_stream, response) => void response.writeHead(307, { location: '/v1/genie/elsewhere' }).end());
    await tab.ask('?');
    await expectText(tab.page.locator('.notice'), 'could not be reached');
    expect(site.strays).toEqual([]);
  });

  test('no cookie of the page is sent', async () => {
    await using tab = await openPage(browser(), site);
    const cookies: (string | undefined)[] = [];
    site.answers.push((stream, response) => {
      cookies.push(response.req.headers.cookie);
      return refusal(503, 'service_unavailable')(stream, response);
    });
    await tab.page.evaluate(() => (document.cookie = 'visitor=1'));
    await tab.ask('?');
    await tab.page.locator('.notice').waitFor();
    expect(cookies).toEqual([undefined]);
  });
});
