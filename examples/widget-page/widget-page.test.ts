import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { createChannel } from '@relata/channel';
import { buildWidget } from '@relata/chat-widget/build';
import { listDemoRequests } from '@relata/demo-requests';
import { freePorts } from '@relata/embedded';
import { createLog } from '@relata/runtime';
import { describeInBrowser, startModelServer, startTeamChannel, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GatewayOptions, startTestChat, type TestChat } from '../../apps/chat-gateway/src/chat-gateway.harness.ts';
import { readWidget } from '../../apps/chat-gateway/src/widget.route.ts';

let widget: Awaited<ReturnType<typeof readWidget>>;
beforeAll(async () => {
  const { file } = await buildWidget();
  widget = await readWidget(createLog({ name: 'test', level: 'silent' }), dirname(file));
});

/** Serves this page on a separate origin, with the address and the key of the gateway. */
async function servePage(chat: TestChat) {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const key = await chat.publishableKey([url]);
  const page = (await readFile(join(import.meta.dirname, 'index.html'), 'utf8'))
    .replace('http://127.0.0.1:8080', chat.url)
    .replace('relata_pk_…', key);
  const server = createServer((_request, response) => void response.setHeader('Content-Type', 'text/html').end(page));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { url, [Symbol.dispose]: () => server.close().closeAllConnections() };
}

describeInBrowser('the widget on a page of another origin, with the real gateway', (browser) => {
  let stack: AsyncDisposableStack;
  beforeEach(() => void (stack = new AsyncDisposableStack()));
  const model = startModelServer();
  afterAll(async () => (await model)[Symbol.asyncDispose]());

  async function visit(options: GatewayOptions = {}): Promise<{ chat: TestChat; page: Page }> {
    const chat = stack.use(await startTestChat({ modelUrl: (await model).url, widget, ...options }));
    const site = stack.use(await servePage(chat));
    const page = await browser().newPage();
    stack.defer(() => page.close());
    await page.goto(site.url);
    await page.getByRole('button', { name: 'Our assistant' }).click();
    return { chat, page };
  }

  async function ask(page: Page, question: string): Promise<void> {
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
  }

  const answers = (page: Page, text: string) => page.locator('.answer .markdown').filter({ hasText: text });

  test('an answer appears while it is written, with its source; stopping it ends the call to the model', async () => {
    await using _ = stack;
    const { page } = await visit();
    const fake = await model;
    fake.script = { steps: [{ say: 'The Team plan costs **29 euros** [1].' }] };
    await ask(page, 'What does the Team plan cost?');
    await answers(page, '29 euros').waitFor();
    expect(
      await page
        .getByRole('link', { name: /Pricing/ })
        .last()
        .getAttribute('href'),
    ).toMatch(/\/docs\/pricing$/);
    fake.script = { steps: [{ say: 'It begins ' }, { pause: Infinity }] };
    await ask(page, 'And then?');
    await answers(page, 'It begins').waitFor();
    await page.getByRole('button', { name: /stop/i }).click();
    await fake.requests.at(-1)!.left;
    expect(await answers(page, 'It begins').isVisible()).toBe(true);
  });

  test('a click sends the form that the model offers, and the request is in the channel and the database', async () => {
    await using _ = stack;
    const team = stack.use(await startTeamChannel());
    const { chat, page } = await visit({ channel: createChannel({ url: team.url, kind: 'slack' }) });
    const input = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
    (await model).script = { steps: [{ say: 'Gladly.' }, { call: 'offer_demo', input }], finish: 'tool_calls' };
    await ask(page, 'A demo, please. I am Ada Lovelace, ada@robotics.example');
    const form = page.locator('.demo-form');
    await form.waitFor();
    expect(await form.getByLabel(/work email/i).inputValue()).toBe('ada@robotics.example');
    expect(team.bodies).toEqual([]);
    await form.locator('.primary').click();
    await until(() => expect(team.bodies).toHaveLength(1));
    expect(team.bodies[0]).toContain('Ada Lovelace');
    await form.waitFor({ state: 'detached' });
    const all = { unsent: false, limit: 10 };
    expect(await listDemoRequests(chat.db.database, chat.tenant.orgId, all)).toMatchObject([{ status: 'sent' }]);
  });

  test('a visitor who has asked too often sees how long to wait', async () => {
    await using _ = stack;
    const { page } = await visit({ limits: { chat: { points: 1, windowMs: 60_000 }, demo: null } });
    (await model).script = { steps: [{ say: 'Fine.' }] };
    await ask(page, 'One?');
    await answers(page, 'Fine.').waitFor();
    await ask(page, 'Two?');
    const notice = page.locator('[part="notice"]');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/\d+ s|\d+ seconds|minute/);
  });

  test('a page with an invalid key shows that the chat is not set up', async () => {
    await using _ = stack;
    const { page } = await visit();
    await page.locator('relata-chat').evaluate((widget) => widget.setAttribute('api-key', 'relata_pk_revoked'));
    await ask(page, 'Hello?');
    const notice = page.locator('[part="notice"]');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/set up/);
  });
});
