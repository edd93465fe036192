import { freePorts } from '@relata/embedded';
import { createChannel } from '@relata/channel';
import { describeInBrowser, startModelServer, startTeamChannel, until } from '@relata/testing';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { type GatewayOptions, startTestChat, type TestChat } from '../../apps/chat-gateway/src/chat-gateway.harness.ts';
import { serveExample } from './site.ts';

const cors = { 'Access-Control-Allow-Origin': '*' };

/** Ways in which a request fails without a fault of the visitor. */
const failures: [failure: string, fail: (route: Route) => Promise<void>][] = [
  ['no network', (route) => route.abort()],
  ["a proxy's page", (route) => route.fulfill({ status: 502, headers: cors, body: '<h1>Bad Gateway</h1>' })],
  ['an empty body', (route) => route.fulfill({ status: 503, headers: cors })],
  ['an unknown key', (route) => route.continue({ headers: { ...route.request().headers(), 'x-api-key': 'gone' } })],
];
const failedText = 'That did not work. Please try again in a moment.';

describeInBrowser("a page with the SDK's own hook", (browser) => {
  /** Opens the page on a separate origin, with a new gateway. */
  async function visit(stack: AsyncDisposableStack, options: GatewayOptions): Promise<{ page: Page; chat: TestChat }> {
    const chat = stack.use(await startTestChat(options));
    const [port] = await freePorts(1);
    const key = await chat.publishableKey([`http://127.0.0.1:${port}`]);
    const site = stack.use(await serveExample({ port: port!, gatewayUrl: chat.url, key }));
    const page = await browser().newPage();
    stack.defer(() => page.close());
    await page.goto(site.url);
    return { page, chat };
  }

  async function ask(page: Page, question: string): Promise<void> {
    await page.getByLabel('Your question').fill(question);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  test('a page on another origin asks a question, shows the answer with its sources, and sends the offered form', async () => {
    await using stack = new AsyncDisposableStack();
    const inbox = stack.use(await startTeamChannel());
    const input = {
      name: 'Ada Lovelace',
      work_email: 'ada@robotics.example',
      company: 'Example Robotics',
      team_size: '40',
      crm: 'A spreadsheet',
      use_case: 'Renewals',
      message: 'The pipeline view\nand the reports',
    };
    const model = stack.use(await startModelServer({ steps: [{ say: 'It costs **29 euros** [1].' }] }));
    const channel = createChannel({ url: inbox.url, kind: 'slack' });
    const { page } = await visit(stack, { modelUrl: model.url, channel });

    await ask(page, 'What does the Team plan cost?');
    await page.getByText('It costs **29 euros** [1].').waitFor();
    expect(await page.getByRole('link', { name: '[1] Pricing' }).getAttribute('href')).toMatch(/\/docs\/pricing$/);

    model.script = { steps: [{ say: 'Gladly.' }, { call: 'offer_demo', input }], finish: 'tool_calls' };
    await ask(page, 'I am Ada Lovelace (ada@robotics.example), show me a demo');
    const form = page.getByRole('form', { name: 'Book a demo' });
    await form.waitFor();
    expect(await form.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
    expect(inbox.bodies).toEqual([]);
    const sent = page.waitForRequest('**/v1/genie/demo-request');
    await form.getByRole('button').click();
    await page.getByText('Thank you.').waitFor();
    expect(inbox.bodies).toHaveLength(1);
    expect((await sent).postDataJSON()).toEqual(input);
    for (const given of input.message.split('\n')) expect(inbox.bodies[0]).toContain(given);

    // The page sends the whole conversation, including offers and sources. The model gets only the text.
    const shown = model.requests
      .at(-1)!
      .body.messages.slice(1)
      .map(({ role }: { role: string }) => role);
    expect(shown).toEqual(['user', 'assistant', 'user']);
  });

  test('a conversation continues beyond the 40 messages that a request may have', async () => {
    await using stack = new AsyncDisposableStack();
    const model = stack.use(await startModelServer());
    const { page } = await visit(stack, { modelUrl: model.url });
    const sent: Record<string, unknown>[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.postDataJSON()));
    for (let n = 1; n <= 21; n++) {
      model.script = { steps: [{ say: `Answer ${n}.` }] };
      await ask(page, `Question ${n}`);
      await page.getByText(`Answer ${n}.`, { exact: true }).waitFor();
    }
    const textOf = (message: { parts: { text?: string }[] }) => message.parts.find(({ text }) => text)!.text;
    const { messages, ...rest } = sent.at(-1)! as { messages: Parameters<typeof textOf>[0][] };
    expect(messages).toHaveLength(40);
    expect([textOf(messages[0]!), textOf(messages.at(-1)!)]).toEqual(['Answer 1.', 'Question 21']);
    // The other fields are the defaults of the SDK's transport.
    expect(rest).toEqual({ id: expect.any(String), trigger: 'submit-message' });
  });

  test('a conversation continues beyond the 100,000 characters that a request may have', async () => {
    await using stack = new AsyncDisposableStack();
    const model = stack.use(await startModelServer());
    const { page } = await visit(stack, { modelUrl: model.url, outputTokens: 10_000 });
    for (const answer of ['First', 'Second', 'Third']) {
      model.script = { steps: [{ say: `${'x'.repeat(40_000)} ${answer}.` }] };
      await ask(page, 'And then?');
      await page.getByText(`${answer}.`).waitFor();
    }
    model.script = { steps: [{ say: 'That is all.' }] };
    const sent = page.waitForRequest('**/v1/genie/chat');
    await ask(page, 'And then?');
    await page.getByText('That is all.').waitFor();
    // Only the first question and its answer are left out.
    expect((await sent).postDataJSON().messages).toHaveLength(5);
  });

  test('a question that is too long is cut, and gets an answer', async () => {
    await using stack = new AsyncDisposableStack();
    const model = stack.use(await startModelServer({ steps: [{ say: 'It costs 29 euros.' }] }));
    const { page } = await visit(stack, { modelUrl: model.url });
    await ask(page, 'x'.repeat(100_001));
    await page.getByText('It costs 29 euros.').waitFor();
    expect(model.requests[0]!.body.messages.at(-1).content).toHaveLength(4_000);
  });

  test('a question with characters that cannot be stored is sent without them, so that later questions work', async () => {
    await using stack = new AsyncDisposableStack();
    const model = stack.use(await startModelServer({ steps: [{ say: 'It costs 29 euros.' }] }));
    const { page } = await visit(stack, { modelUrl: model.url });
    await ask(page, 'What does\u0000 it cost\ud800?');
    await page.getByText('It costs 29 euros.').waitFor();
    expect(model.requests[0]!.body.messages.at(-1).content).toMatch(/^What does it cost.?\?$/);
  });

  test('a page that is not served over https gets answers', async () => {
    await using stack = new AsyncDisposableStack();
    const chat = stack.use(await startTestChat());
    const origin = 'http://shop.example';
    const key = await chat.publishableKey([origin]);
    const site = stack.use(await serveExample({ port: 0, gatewayUrl: origin, key }));
    const page = await browser().newPage();
    stack.defer(() => page.close());
    // Routes like a proxy, because Chromium keeps a page without https from calling a gateway on this machine.
    await page.route(`${origin}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      const server = pathname.startsWith('/v1/') ? chat.url : site.url;
      await route.fulfill({ response: await route.fetch({ url: `${server}${pathname}` }) });
    });
    await page.goto(origin);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await ask(page, 'What does the Team plan cost?');
    await page.getByRole('link', { name: '[1] Pricing' }).waitFor();
  });

  test('a visitor over the rate limit sees how long to wait, and sees that an answer was cut off', async () => {
    await using stack = new AsyncDisposableStack();
    const model = stack.use(await startModelServer({ steps: [{ say: 'It ' }, { pause: 100 }, { drop: true }] }));
    const limits = { chat: { points: 1, windowMs: 60_000 }, demo: null };
    const { page } = await visit(stack, { modelUrl: model.url, limits });
    await ask(page, 'Hello');
    await page.getByText('The answer could not be finished. Please ask again.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await page.getByText(/Too many questions/).textContent()).toMatch(/Try again in \d+ s\./);
  });

  test.for(failures)('a failure of the service is not blamed on the visitor: %s', async ([_failure, fail]) => {
    await using stack = new AsyncDisposableStack();
    const { page } = await visit(stack, {});
    await page.route('**/v1/genie/chat', fail);
    await ask(page, 'I want to talk to a human');
    expect(await page.getByRole('alert').textContent()).toBe(`${failedText} Try again`);
    await page.unroute('**/v1/genie/chat');
    await page.getByRole('button', { name: 'Try again' }).click();

    const form = page.getByRole('form', { name: 'Talk to us' });
    await form.getByLabel('Name').fill('Ada Lovelace');
    await form.getByLabel('Work email').fill('ada@robotics.example');
    await page.route('**/v1/genie/demo-request', fail);
    await form.getByRole('button').click();
    expect(await form.getByRole('alert').textContent()).toBe(failedText);
    await page.unroute('**/v1/genie/demo-request');
    await form.getByRole('button').click();
    await page.getByText('Thank you.').waitFor();
  });

  test('a visitor whose request for a demo has an invalid field is asked to check the fields', async () => {
    await using stack = new AsyncDisposableStack();
    const { page } = await visit(stack, {});
    await ask(page, 'I want to talk to a human');
    const form = page.getByRole('form', { name: 'Talk to us' });
    await form.getByLabel('Name').fill('Ada Lovelace');
    await form.getByLabel('Work email').fill('ada@robotics.example');
    await form.getByLabel('Company').fill('x'.repeat(2_049));
    await form.getByRole('button').click();
    expect(await form.getByRole('alert').textContent()).toBe('Please check the fields.');
  });

  test('a visitor votes on an answer once, and the gateway counts the vote', async () => {
    await using stack = new AsyncDisposableStack();
    const { page, chat } = await visit(stack, {});
    await ask(page, 'What does the Team plan cost?');
    await page.getByRole('button', { name: 'Good answer' }).click();
    await until(async () => {
      const { values } = await chat.metrics.getSingleMetric('chat_votes_total')!.get();
      expect(values).toMatchObject([{ labels: { vote: 'up' }, value: 1 }]);
    });
    expect(await page.getByRole('button', { name: 'Good answer' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('button', { name: 'Bad answer' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Talk to us' }).count()).toBe(0);
  });

  test('if the pages do not answer a question, the visitor can ask the team to get in touch', async () => {
    await using stack = new AsyncDisposableStack();
    const inbox = stack.use(await startTeamChannel());
    const { page } = await visit(stack, { channel: createChannel({ url: inbox.url, kind: 'slack' }) });
    await ask(page, 'Do you sell zebras?');
    await page.getByRole('button', { name: 'Talk to us' }).click();
    const form = page.getByRole('form', { name: 'Talk to us' });
    await form.getByLabel('Name').fill('Ada Lovelace');
    await form.getByLabel('Work email').fill('ada@robotics.example');
    await form.getByRole('button', { name: 'Talk to us' }).click();
    await page.getByText('Thank you.').waitFor();
    expect(inbox.bodies[0]).toContain('ada@robotics.example');
  });

  test('a visitor who asks for a person sees the form to get in touch', async () => {
    await using stack = new AsyncDisposableStack();
    const { page } = await visit(stack, {});
    await ask(page, 'I want to talk to a human');
    await page.getByRole('form', { name: 'Talk to us' }).waitFor();
    expect(await page.getByRole('form', { name: 'Book a demo' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Good answer' }).count()).toBe(0);
  });
});
