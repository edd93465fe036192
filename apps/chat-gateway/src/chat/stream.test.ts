import { connect } from 'node:net';
import { type ModelServer, startModelServer } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asking, pagesUrl, streamedParts, startTestChat, type TestChat } from '../chat-gateway.harness.ts';
import { askWithSdk, textOfMessage } from '../sdk.harness.ts';

let model: ModelServer;
let chat: TestChat;

beforeAll(async () => {
  model = await startModelServer();
  chat = await startTestChat({ modelUrl: model.url });
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const ask = (...texts: string[]) => askWithSdk({ url: chat.url, key: chat.tenant.key, texts });

test("the SDK's client reads the text as it was written, and the pages that it cites", async () => {
  model.script = { steps: [{ say: 'It costs **29' }, { say: ' euros** a seat [1].' }, { say: ' Größe: 你好 🎉' }] };
  const { message, errors } = await ask('What does the Team plan cost?');
  expect(errors).toEqual([]);
  expect(textOfMessage(message)).toBe('It costs **29 euros** a seat [1]. Größe: 你好 🎉');
  expect(message!.parts.filter(({ type }) => type === 'source-url')).toEqual([
    { type: 'source-url', sourceId: '1', url: `${pagesUrl}pricing`, title: 'Pricing' },
  ]);
  expect(message!.parts.find((part) => part.type === 'text')).toMatchObject({ state: 'done' });
});

test('a citation of a page that the model did not get adds no source', async () => {
  model.script = { steps: [{ say: 'See [1] and [9].' }] };
  const { message } = await ask('What does the Team plan cost?');
  expect(message!.parts.filter(({ type }) => type === 'source-url')).toHaveLength(1);
});

test('if the model cites no page, all pages that it got are shown as sources, unless it offered a demo', async () => {
  const sourcesOf = async () =>
    (await ask('What does the Team plan cost?')).message!.parts.filter(({ type }) => type === 'source-url');
  model.script = { steps: [{ say: 'It costs 29 euros.' }] };
  expect(await sourcesOf()).toHaveLength(1);
  model.script = { steps: [{ say: 'Gladly.' }, { call: 'offer_demo', input: {} }], finish: 'tool_calls' };
  expect(await sourcesOf()).toEqual([]);
});

test('an answer without matching pages has no sources', async () => {
  model.script = { steps: [{ say: 'I do not know that. [1]' }] };
  const { message } = await ask('Who won the football world cup?');
  expect(message!.parts.filter(({ type }) => type === 'source-url')).toEqual([]);
});

test('the offer of a demo reaches the page with the details that the visitor gave', async () => {
  const input = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
  model.script = { steps: [{ say: 'Gladly.' }, { call: 'offer_demo', input }], finish: 'tool_calls' };
  const { message, errors } = await ask('I am Ada Lovelace, ada@robotics.example. Show me a demo!');
  expect(errors).toEqual([]);
  expect(message!.parts.at(-1)).toMatchObject({ type: 'tool-offer_demo', state: 'input-available', input });
});

test('a call of an unknown tool is not sent to the page', async () => {
  model.script = { steps: [{ say: 'Well.' }, { call: 'delete_everything', input: {} }], finish: 'tool_calls' };
  expect((await ask('Hello')).message!.parts.map(({ type }) => type)).toEqual(['step-start', 'text']);
});

test('an answer is a stream of server-sent events that ends with [DONE]', async () => {
  model.script = { steps: [{ say: 'Hi.' }] };
  const answer = await chat.tenant.client('POST', '/v1/genie/chat', { body: asking('Hello') });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  expect(answer.headers.get('x-accel-buffering')).toBe('no');
  expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(streamedParts(answer.text).map(({ type }) => type)).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
});

test('reasoning and sources of the model itself are not sent to the page', async () => {
  const thinking = { choices: [{ index: 0, delta: { reasoning_content: 'secret thoughts' }, finish_reason: null }] };
  const citing = {
    choices: [
      {
        index: 0,
        delta: { annotations: [{ type: 'url_citation', url_citation: { url: 'https://evil.example', title: 'x' } }] },
      },
    ],
  };
  model.script = {
    steps: [
      { raw: `data: ${JSON.stringify(thinking)}\n\n` },
      { say: 'Hi.' },
      { raw: `data: ${JSON.stringify(citing)}\n\n` },
    ],
  };
  const { text } = await chat.tenant.client('POST', '/v1/genie/chat', { body: asking('Hello') });
  expect(text).toContain('Hi.');
  expect(text).not.toMatch(/secret thoughts|evil\.example/);
});

test.each<[string, string, Record<string, string>]>([
  ['null and numbers', '{"name":"Ada","company":null,"team_size":50}', { name: 'Ada', team_size: '50' }],
  ['a value that is too long', JSON.stringify({ message: 'x'.repeat(4_001) }), { message: 'x'.repeat(4_000) }],
  ['unknown and invalid fields', '{"admin":true,"name":{"first":"Ada"},"crm":" HubSpot "}', { crm: 'HubSpot' }],
  ['truncated JSON', '{"name":"Ada', {}],
  ['a list', '["Ada"]', {}],
])('an offer with %s shows the form with the valid fields', async (_what, json, input) => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'offer_demo', arguments: json } };
  const chunk = { id: 'x', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] };
  model.script = { steps: [{ say: 'Gladly.' }, { raw: `data: ${JSON.stringify(chunk)}\n\n` }], finish: 'tool_calls' };
  const { message, errors } = await ask('A demo, please');
  expect(errors).toEqual([]);
  expect(message!.parts.at(-1)).toMatchObject({ type: 'tool-offer_demo', state: 'input-available', input });
});

test('only the first of several offers is shown', async () => {
  const offer = (id: string, index: number) => ({
    index,
    id,
    type: 'function',
    function: { name: 'offer_demo', arguments: '{}' },
  });
  const chunk = {
    id: 'x',
    choices: [{ index: 0, delta: { tool_calls: [offer('a', 0), offer('b', 1)] }, finish_reason: null }],
  };
  model.script = { steps: [{ raw: `data: ${JSON.stringify(chunk)}\n\n` }], finish: 'tool_calls' };
  const { message } = await ask('A demo, please');
  expect(message!.parts.filter(({ type }) => type === 'tool-offer_demo')).toHaveLength(1);
});

test('a connection is closed after the answer if its client asked for that', async () => {
  model.script = { steps: [{ say: 'Hi.' }] };
  const body = JSON.stringify(asking('Hello'));
  const socket = connect(Number(new URL(chat.url).port), '127.0.0.1');
  const head = [
    'POST /v1/genie/chat HTTP/1.1',
    'Host: x',
    `X-Api-Key: ${chat.tenant.key}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const text = (await socket.setEncoding('utf8').toArray()).join('');
  expect(text).toMatch(/^connection: close\r$/im);
  expect(text).toContain('[DONE]');
});
