import { describeInBrowser, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { type AnswerScript, type AnswerStream, demoAnswer, refusal, unanswered } from './answer.harness.ts';
import { expectFocus, expectText, focused, phone, type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

const said = { name: 'Ada Lovelace', company: 'Example Robotics', team_size: 'about 40', message: 'Hello' };

describeInBrowser('A demo request', (browser) => {
  const site = useSite();

  /** Opens a tab in which the model has just offered a demo. */
  async function offered(input: Record<string, unknown> = said): Promise<TestPage> {
    const tab = await openPage(browser(), site);
    site.answers.push(demoAnswer('Please check the form.', input));
    await tab.ask('Can I see a demo?');
    await tab.page.locator('.demo-form').waitFor();
    return tab;
  }

  const submit = ({ page }: TestPage) => page.locator('.demo-form .primary');
  const unfold = ({ page }: TestPage) => page.locator('.more summary').click();
  const field = ({ page }: TestPage, name: string) => page.locator(`.demo-form [name="${name}"]`);

  test('a demo form is filled in from the conversation, and only the visitor sends it', async () => {
    await using tab = await offered();
    expect(await field(tab, 'name').inputValue()).toBe('Ada Lovelace');
    expect(await field(tab, 'team_size').inputValue()).toBe('about 40');
    await field(tab, 'work_email').fill(' ada@robotics.example ');
    expect(site.requests).toEqual([]);
    await tab.page.evaluate(() =>
      document.addEventListener('relata-demo-sent', (event) =>
        Object.assign(window, { sent: (event as CustomEvent).detail }),
      ),
    );
    await submit(tab).click();
    await expectText(tab.page.locator('.thanks'), 'Your request is with the team.');
    await expectFocus(tab.page.locator('.thanks'));
    expect(site.requests).toEqual([{ ...said, work_email: 'ada@robotics.example' }]);
    expect(site.keys).toEqual(['relata_pk_test', 'relata_pk_test']);
    expect(await tab.page.evaluate(() => (window as unknown as { sent: unknown }).sent)).toEqual({ forwarded: true });
  });

  test('a demo form is checked before it is sent, and the first invalid field gets the focus', async () => {
    await using tab = await offered({});
    await field(tab, 'work_email').fill('ada@');
    await submit(tab).click();
    await expectText(tab.page.locator('#problem-name'), 'Please fill in your name.');
    await expectText(tab.page.locator('#problem-work_email'), 'This does not look like an email address.');
    await expectFocus(field(tab, 'name'));
    expect(await field(tab, 'name').getAttribute('aria-invalid')).toBe('true');
    await field(tab, 'name').fill('Ada');
    await until(async () => expect(await tab.page.locator('.problem').count()).toBe(1));
    expect(site.requests).toEqual([]);
  });

  test('a demo request is sent once, however often the button is clicked', async () => {
    await using tab = await offered();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    site.outcomes.push(async (stream, response) => {
      await released;
      await refusal(200, '')(stream, response);
    });
    await field(tab, 'work_email').fill('ada@robotics.example');
    await submit(tab).evaluate((button: HTMLElement) => {
      for (let clicks = 0; clicks < 5; clicks++) button.click();
    });
    await expectText(submit(tab), 'Sending…');
    await submit(tab).click({ force: true });
    release();
    await tab.page.locator('.thanks').waitFor();
    expect(site.requests).toHaveLength(1);
  });

  test.each<[string, AnswerScript, string]>([
    ['a 502 of the service', refusal(502, 'upstream_error'), 'We have saved your request'],
    ['a 200', refusal(200, ''), 'Your request is with the team.'],
  ])('%s closes the demo form for good, also after a reload', async (_what, outcome, text) => {
    await using tab = await offered();
    site.outcomes.push(outcome);
    await field(tab, 'work_email').fill('ada@robotics.example');
    await submit(tab).click();
    await expectText(tab.page.locator('.thanks'), text);
    await tab.page.reload();
    await expectText(tab.page.locator('.thanks'), text);
    expect(await tab.page.locator('.demo-form').count()).toBe(0);
  });

  const details = [
    { in: 'body', field: 'work_email', code: 'invalid_format', message: 'Must be <b>an</b> email address.' },
    { in: 'body', field: '__proto__', code: 'unknown_field', message: 'Not shown.' },
    null,
  ];

  test.each<[string, AnswerScript, string]>([
    [
      'an invalid field that the service reports',
      refusal(400, 'validation_error', {}, { details }),
      'Must be <b>an</b>',
    ],
    ['a 400 about something else', refusal(400, 'validation_error', {}, { details: 7 }), 'Something in the form'],
    ['a 502 of a proxy', (_, response) => void response.writeHead(502).end('<h1>Bad</h1>'), 'could not be sent'],
    ['403', refusal(403, 'forbidden'), 'This form is not set up for this site.'],
    ['500', refusal(500, 'internal_error'), 'could not be sent right now'],
  ])('%s is shown as an error, and the demo form can be sent again', async (_what, outcome, text) => {
    await using tab = await offered();
    site.outcomes.push(outcome);
    await field(tab, 'work_email').fill('ada@robotics.example');
    await submit(tab).click();
    await expectText(tab.page.locator('.demo-form'), text);
    expect(await tab.page.locator('.demo-form').innerText()).not.toContain('Internal');
    await submit(tab).click();
    await tab.page.locator('.thanks').waitFor();
    expect(site.requests).toHaveLength(2);
  });

  test('a demo form without a network shows an error, and can be sent once the network is back', async () => {
    await using tab = await offered();
    await field(tab, 'work_email').fill('ada@robotics.example');
    await tab.page.context().setOffline(true);
    await submit(tab).click();
    await expectText(tab.page.locator('.demo-form'), 'Check your connection');
    await tab.page.context().setOffline(false);
    await submit(tab).click();
    await tab.page.locator('.thanks').waitFor();
    expect(site.requests).toHaveLength(1);
  });

  test('the button of a demo form over the rate limit counts down, and then sends', async () => {
    await using tab = await offered();
    site.outcomes.push(refusal(429, 'rate_limited', { 'ratelimit-reset': '2' }));
    await field(tab, 'work_email').fill('ada@robotics.example');
    await submit(tab).click();
    await expectText(submit(tab), 'Try again in 2 s');
    await submit(tab).click({ force: true });
    await expectText(submit(tab), 'Request a demo');
    expect(site.requests).toHaveLength(1);
    await submit(tab).click();
    await tab.page.locator('.thanks').waitFor();
  });

  test("the panel's button opens a demo form, with the focus on its first field", async () => {
    await using tab = await openPage(browser(), site);
    for (const _click of ['opens the form', 'finds it again']) {
      await tab.page.getByRole('button', { name: 'Book a demo' }).click();
      await expectFocus(field(tab, 'name'));
      expect(await tab.page.locator('.demo-form').count()).toBe(1);
    }
    await tab.ask('And what does it cost?');
    await expectText(tab.answers.nth(1), 'Fine.');
    expect(site.questions[0]!.messages).toHaveLength(1);
    expect(await focused(tab.page)).toBe('Your question');
  });

  test('a conversation has one open form: a newer one closes the older', async () => {
    await using tab = await offered();
    site.answers.push(demoAnswer('Here it is again.', { name: 'Grace' }));
    await tab.ask('Once more?');
    await expectText(tab.answers.nth(1), 'Here it is again.');
    await until(async () => expect(await field(tab, 'name').inputValue()).toBe('Grace'));
    expect(await tab.page.locator('.demo-form').count()).toBe(1);
  });

  test('text that a visitor has typed into a demo form stays while an answer arrives', async () => {
    await using tab = await offered();
    await unfold(tab);
    await field(tab, 'use_case').fill('Warehouses');
    await tab.ask('What does it cost?');
    await expectText(tab.answers.nth(1), 'Fine.');
    expect(await field(tab, 'use_case').inputValue()).toBe('Warehouses');
  });

  test.each([
    ['phone', { ...phone, viewport: { width: 375, height: 667 } }],
    ['laptop', { viewport: { width: 1_000, height: 700 } }],
  ])('a demo form fits the panel on a %s, with and without errors at its fields', async (_screen, screen) => {
    await using tab = await openPage(browser(), site, { attributes: '', ...screen });
    await tab.open();
    site.answers.push(demoAnswer('Gladly! Please check the form and send it, and somebody will get back to you.', {}));
    await tab.ask('Can I see a demo?');
    const form = tab.page.locator('.demo-form');
    const isWhole = async () => {
      const [inner, outer] = [await form.boundingBox(), await tab.page.locator('.scroller').boundingBox()];
      return inner!.y >= outer!.y && inner!.y + inner!.height <= outer!.y + outer!.height;
    };
    await form.waitFor();
    expect(await isWhole()).toBe(true);
    expect(await visibleFields(tab)).toEqual(['name', 'work_email']);
    await submit(tab).click();
    await expectFocus(field(tab, 'name'));
    expect(await isWhole()).toBe(true);
    expect(await tab.page.locator('.form-problem').innerText()).toBe('');
    for (const [name, text] of [
      ['name', 'Please fill in your name.'],
      ['work_email', 'Please fill in your work email.'],
    ] as const) {
      expect(await field(tab, name).getAttribute('aria-describedby')).toBe(`problem-${name}`);
      expect(await tab.page.locator(`#problem-${name}`).innerText()).toBe(text);
      const [box, problem] = [
        await field(tab, name).boundingBox(),
        await tab.page.locator(`#problem-${name}`).boundingBox(),
      ];
      expect(problem!.y - (box!.y + box!.height)).toBeLessThan(12);
    }
  });

  const visibleFields = ({ page }: TestPage) =>
    page
      .locator('.demo-form :is(input, select, textarea)')
      .evaluateAll((fields) =>
        fields.filter((input) => input.checkVisibility()).map((input) => input.getAttribute('name')),
      );

  test('a demo form unfolds its optional fields, also by keyboard, and shows how many of them are filled in', async () => {
    await using tab = await offered();
    const summary = tab.page.locator('.more summary');
    expect(await summary.innerText()).toBe('More details (3 filled in)');
    expect(await visibleFields(tab)).toEqual(['name', 'work_email']);
    await summary.press('Enter');
    await until(async () => expect(await visibleFields(tab)).toHaveLength(7));
    await field(tab, 'company').fill(' ');
    await expectText(summary, 'More details (2 filled in)');
    expect(await visibleFields(tab)).toHaveLength(7);
    await summary.press('Enter');
    await until(async () => expect(await visibleFields(tab)).toHaveLength(2));
  });

  test('a demo form unfolds if the service refuses a folded field', async () => {
    await using tab = await offered();
    const wrong = [{ in: 'body', field: 'team_size', code: 'too_long', message: 'Must be shorter.' }];
    site.outcomes.push(refusal(400, 'validation_error', {}, { details: wrong }));
    await field(tab, 'work_email').fill('ada@robotics.example');
    await submit(tab).click();
    await expectText(tab.page.locator('#problem-team_size'), 'Must be shorter.');
    await expectFocus(field(tab, 'team_size'));
  });

  test("the title of a form follows the visitor's wish: a person or a demo", async () => {
    await using tab = await openPage(browser(), site);
    const reason = (stream: AnswerStream) => stream.send({ type: 'data-contact', data: { reason: 'person' } });
    site.answers.push(async (stream, response) => {
      reason(stream);
      await demoAnswer('Gladly!', {})(stream, response);
    });
    await tab.ask('Can I talk to somebody?');
    const form = tab.page.locator('.demo-form');
    const seen = async () => [await form.getAttribute('aria-label'), await submit(tab).innerText()];
    await form.waitFor();
    expect(await seen()).toEqual(['Talk to us', 'Send request']);
    expect(await form.locator('.card-title').innerText()).toBe('Talk to us');
    expect(await tab.page.getByRole('log').innerText()).toContain('A form to talk to us follows.');
    await tab.page.reload();
    await form.waitFor();
    expect(await seen()).toEqual(['Talk to us', 'Send request']);
    site.answers.push(demoAnswer('Gladly!', {}));
    await tab.ask('And a demo?');
    await expectText(form.locator('.card-title'), 'Book a demo');
    expect(await seen()).toEqual(['Book a demo', 'Request a demo']);
  });

  test('the last answer has a button for the contact form if the pages did not answer the question', async () => {
    await using tab = await openPage(browser(), site);
    const button = tab.page.locator('.contact');
    site.answers.push(unanswered);
    await tab.ask('Who won?');
    await button.waitFor();
    await tab.page.reload();
    await button.waitFor();
    await tab.ask('What does it cost?');
    await expectText(tab.answers.nth(1), 'Fine.');
    expect(await button.count()).toBe(0);
    site.answers.push(unanswered);
    await tab.ask('Who won?');
    await button.click();
    await expectFocus(field(tab, 'name'));
    expect(await tab.page.locator('.card-title').innerText()).toBe('Talk to us');
    expect(await button.count()).toBe(0);
    await field(tab, 'name').fill('Ada');
    await field(tab, 'work_email').fill('ada@robotics.example');
    await submit(tab).click();
    await tab.page.locator('.thanks').waitFor();
    expect(site.requests).toEqual([{ name: 'Ada', work_email: 'ada@robotics.example' }]);
  });
});
