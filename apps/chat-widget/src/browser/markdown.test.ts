import { describeInBrowser, until } from '@relata/testing';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textAnswer } from './answer.harness.ts';
import { type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<style>*{display:none}</style><link rel=stylesheet href=//evil.example>',
  '<form action="//evil.example"><input name=x><button>Send</button></form>',
  '<a href="https://a.example" onclick="alert(1)">x</a>',
  '<relata-chat api="//evil.example"></relata-chat>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<!--\n<img src=x onerror=alert(1)>\n-->',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java&#10;script:alert(1))',
  '[x](java&Tab;script:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](<  javascript:alert(1)>)',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:msgbox(1))',
  '[x](blob:https://a.example/1)',
  '[x](file:///etc/passwd)',
  '[x](/logout)',
  '[x](//evil.example)',
  '[x](https://bank.example@evil.example)',
  '<javascript:alert(1)>',
  '![x](https://evil.example/pixel.png)',
  '![x](javascript:alert(1))',
  '![<img src=x onerror=alert(1)>](https://evil.example/p.png "<img onerror=alert(1)>")',
  '[![x](https://evil.example/p.png)](javascript:alert(1))',
  '`<img src=x onerror=alert(1)>`',
  '```html\n<img src=x onerror=alert(1)>\n```',
  '```"><img src=x onerror=alert(1)>\nx\n```',
  '| <img src=x onerror=alert(1)> |\n| --- |\n| [x](javascript:alert(1)) |',
  '- <img src=x onerror=alert(1)>\n- [ ] <input autofocus onfocus=alert(1)>',
  '# <img src=x onerror=alert(1)>',
  '> <script>alert(1)</script>',
  '&lt;img src=x onerror=alert(1)&gt;',
  '&#60;img src=x onerror=alert(1)&#62;',
  '[1](javascript:alert(1)) [__proto__] [constructor]',
  '[x]: javascript:alert(1)\n\n[x]',
  'a\u0000b \ud800 \u202ec',
  '>'.repeat(3_000),
  '[a]('.repeat(1_000),
  '**_'.repeat(1_000),
  ...['_*a', '__*a', '**x*y_', '[*a](', '**Name** *'].map((unpaired) => unpaired.repeat(1_000)),
  `${'- '.repeat(300)}x`,
];

/** Begins a new conversation, and waits until its first answer is drawn. */
async function askAnew(): Promise<void> {
  const widget = document.querySelector('relata-chat')!;
  widget.shadowRoot!.querySelector<HTMLElement>('[aria-label="New conversation"]')?.click();
  const answered = new Promise((resolve) => widget.addEventListener('relata-answer', resolve, { once: true }));
  (widget as HTMLElement & { ask(text: string): boolean }).ask('?');
  await answered;
  // The answer is drawn in the next frame, so this waits for two frames.
  for (let pictures = 0; pictures < 2; pictures++) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** All elements that an answer may contain. */
const allowed = new Set(
  'DIV P H3 STRONG EM DEL CODE PRE BR A SPAN BLOCKQUOTE OL UL LI TABLE THEAD TBODY TR TH TD HR'.split(' '),
);

describeInBrowser('Markdown of an answer', (browser) => {
  const site = useSite();
  let tab: TestPage;
  beforeAll(async () => void (tab = await openPage(browser(), site)));
  // Disposing throws if the page opened a dialog, had an error or violated its content security policy.
  afterAll(() => tab[Symbol.asyncDispose]());

  async function shown(markdown: string, sources: Parameters<typeof textAnswer>[1] = []): Promise<Locator> {
    site.answers.push(textAnswer(markdown, sources));
    await tab.page.evaluate(askAnew);
    await tab.page.locator('.answer.done').waitFor();
    return tab.answers.last();
  }

  const elementsOf = (answer: Locator) =>
    answer.evaluate((root) =>
      [...root.querySelectorAll('*')].map((element) => ({
        tag: element.tagName,
        attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
      })),
    );

  test.each(hostile)('%j becomes only plain elements and safe links', async (markdown) => {
    const answer = await shown(markdown);
    for (const { tag, attributes } of await elementsOf(answer)) {
      expect(allowed).toContain(tag);
      expect(
        Object.keys(attributes).filter((name) => name.startsWith('on') || name === 'style' || name === 'src'),
      ).toEqual([]);
      if (tag === 'A') expectSafeLink(attributes);
    }
    expect(site.strays).toEqual([]);
  });

  function expectSafeLink({ href, rel, target }: Record<string, string>): void {
    expect(href).toMatch(/^(https?:\/\/|mailto:)/);
    expect(href).not.toMatch(/evil\.example$|@evil/);
    expect(rel).toBe('noopener noreferrer nofollow');
    expect(target).toBe('_blank');
  }

  test('raw HTML is shown as it was written', async () => {
    expect(await (await shown('a <b onclick="x">c</b> d')).innerText()).toBe('a <b onclick="x">c</b> d');
    expect(await (await shown('<div>\na\n</div>')).innerText()).toBe('<div>\na\n</div>');
  });

  test.each([
    ['AT&T &amp; Co &lt;b&gt; &copy; &nosuch; &amp;lt;', 'AT&T & Co <b> © &nosuch; &lt;'],
    ['a\\*b \\<i> `a&amp;b`', 'a*b <i> a&amp;b'],
    ['- [x] done\n- [ ] open', '☑ done\n☐ open'],
    ['![A robot](https://a.example/robot.png)', 'A robot'],
    ['![](javascript:x)', 'image'],
  ])('%j reads as %j', async (markdown, text) => {
    expect(await (await shown(markdown)).innerText()).toBe(text);
  });

  test('tables, lists, headings, quotes and code become the right elements', async () => {
    const answer = await shown(
      '# A\n\n1. b\n   - c\n\n> d\n\n| e | f |\n| :-: | --: |\n| 1 | 2 |\n\n```js\ng()\n```\n\n---\n\n~~h~~',
    );
    for (const one of ['h3', 'ol > li > ul > li', 'blockquote p', 'th.center', 'td.right', 'pre code', 'hr', 'del'])
      expect(await answer.locator(one).count(), one).toBe(1);
  });

  test('an ampersand in an address survives, in links and in bare addresses', async () => {
    const answer = await shown('[x](https://a.example/?a=1&amp;b=2) https://a.example/?a=1&b=2');
    const addresses = (await elementsOf(answer)).flatMap(({ attributes: { href } }) => href ?? []);
    expect(addresses).toEqual(['https://a.example/?a=1&b=2', 'https://a.example/?a=1&b=2']);
  });

  test('a citation links to the source with its number, and stays text without such a source', async () => {
    const answer = await shown('A [1], **b [2]**, [3], `[1]`, [[1]]', [
      { id: '1', title: 'One', url: 'https://docs.example/1' },
      { id: '2', title: 'Two', url: 'javascript:alert(1)' },
    ]);
    expect(await answer.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      'https://docs.example/1',
      'https://docs.example/1',
    ]);
    expect(await answer.locator('a').first().getAttribute('aria-label')).toBe('Source 1: One');
    expect((await answer.innerText()).replaceAll('\u202f', ' ')).toBe('A 1, b [2], [3], [1], [1]');
  });

  test('an answer cannot make a citation link to an address other than that of its source', async () => {
    const docs = { id: '1', title: 'One', url: 'https://docs.example/1' };
    const answer = await shown('[1]: https://evil.example\n\nA [1] and [x][1].', [docs]);
    const addresses = (await elementsOf(answer)).flatMap(({ attributes: { href } }) => href ?? []);
    expect(new Set(addresses.filter((href) => !href.includes('evil')))).toEqual(new Set(['https://docs.example/1']));
    expect(await answer.getByLabel('Source 1: One').first().getAttribute('href')).toBe('https://docs.example/1');
    expect(
      await answer
        .locator('a:text-is("1")')
        .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).host)),
    ).not.toContain('evil.example');
  });

  test('only sources with a safe address are shown below an answer', async () => {
    await shown('x', [
      { id: '1', title: '<img src=x onerror=alert(1)>', url: 'https://docs.example/1' },
      { id: '2', title: 'Two', url: 'javascript:alert(1)' },
      { id: '3', title: '', url: 'https://www.docs.example/3' },
    ]);
    await until(async () =>
      expect(await tab.page.locator('.sources a').allInnerTexts()).toEqual([
        '1\n<img src=x onerror=alert(1)>\ndocs.example',
        '3\ndocs.example\ndocs.example',
      ]),
    );
  });
});
