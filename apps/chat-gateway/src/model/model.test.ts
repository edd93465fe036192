import { apiClient, type ModelServer, startModelServer, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  asking,
  streamedParts,
  startTestChat,
  type TestChat,
  type TestGateway,
  textOfParts,
} from '../chat-gateway.harness.ts';
import { askWithSdk, textOfMessage } from '../sdk.harness.ts';

let model: ModelServer;
/** A gateway with a first-token timeout that is long enough even on a busy machine. */
let chat: TestChat;
/** A gateway with a short timeout for a silent model. */
let hasty: TestGateway;

beforeAll(async () => {
  model = await startModelServer();
  chat = await startTestChat({ modelUrl: model.url });
  hasty = await chat.startReplica({ firstTokenMs: 300 });
});
afterAll(async () => {
  await hasty[Symbol.asyncDispose]();
  await chat[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const question = 'What does the Team plan cost?';
const countFirstTokens = async ({ metrics }: TestGateway) =>
  Number(/^chat_first_token_seconds_count\S* (\d+)/m.exec(await metrics.metrics())![1]);
const askAt = ({ url }: TestGateway) => askWithSdk({ url, key: chat.tenant.key, texts: [question] });

describe('a model that fails before its first token is replaced by the built-in one', () => {
  test.each([
    ['refuses the key', { status: 401 }],
    ['is rate-limited', { status: 429 }],
    ['is broken', { status: 500 }],
    ['is silent', { steps: [{ pause: Infinity }] }],
    ['reports an error', { steps: [{ error: 'overloaded' }] }],
    ['drops the connection', { steps: [{ drop: true as const }] }],
    ['closes the stream', { steps: [{ close: true as const }] }],
    ['sends no text', { steps: [] }],
    ['sends only white space', { steps: [{ say: '' }, { say: ' \n' }] }],
    [
      'sends an endless line',
      { steps: [{ raw: 'data: ' }, ...Array.from({ length: 40 }, () => ({ raw: 'x'.repeat(100_000) }))] },
    ],
    ['calls an unknown tool', { steps: [{ call: 'rm_rf', input: {} }], finish: 'tool_calls' }],
    ['sends invalid JSON', { steps: [{ raw: 'data: {nonsense\n\n' }] }],
    [
      'sends reasoning and no text',
      {
        steps: [{ raw: 'data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}\n\n' }, { pause: Infinity }],
      },
    ],
  ])('the built-in model replaces one that %s', async (_how, script) => {
    model.script = script;
    const { message, errors } = await askAt(hasty);
    expect(errors).toEqual([]);
    expect(textOfMessage(message)).toContain('29 euros');
    expect(message!.parts.filter(({ type }) => type === 'source-url')).toHaveLength(1);
  });

  test('the built-in model replaces one that is unreachable', async () => {
    const gone = await startModelServer();
    await gone[Symbol.asyncDispose]();
    await using replica = await chat.startReplica({ modelUrl: gone.url });
    const { message } = await askAt(replica);
    expect(textOfMessage(message)).toContain('29 euros');
  });
});

test('after a model was silent for five clients in a row, a sixth client does not wait for it, but clients of other organizations do', async () => {
  await using replica = await chat.startReplica({ firstTokenMs: 2_000 });
  const askAs = (client: number, { key } = chat.tenant) =>
    apiClient(replica.url, key)('POST', '/v1/genie/chat', {
      body: asking(question),
      headers: { 'x-forwarded-for': `192.0.2.${client}` },
    });
  model.script = { steps: [{ pause: Infinity }] };
  await Promise.all([1, 2, 3, 4, 5].map((client) => askAs(client)));
  const asked = model.requests.length;
  const { text } = await askAs(6);
  expect(textOfParts(streamedParts(text))).toContain('29 euros');
  expect(model.requests).toHaveLength(asked);
  expect(replica.logLines.filter((line) => line.includes('circuit open'))).toHaveLength(1);
  model.script = { steps: [{ say: 'As the model says.' }] };
  const other = await askAs(6, chat.other);
  expect(textOfParts(streamedParts(other.text))).toBe('As the model says.');
});

describe('if a model fails in the middle, the text so far stays and a fixed text says that the answer was cut off', () => {
  test.each([
    ['reports an error', { error: 'the secret host db-7 is down' }, {}],
    ['drops the connection', { drop: true as const }, {}],
    ['closes the stream', { close: true as const }, {}],
    ['falls silent', { pause: Infinity }, { stallMs: 300 }],
  ])('an answer keeps its text and ends with a fixed error text if the model %s', async (_how, failure, bounds) => {
    await using replica = await chat.startReplica(bounds);
    const client = apiClient(replica.url, chat.tenant.key);
    let answers = 0;
    // Resolves once the first token was passed on, because a model that fails earlier is replaced.
    const passedOn = () => {
      answers++;
      return until(async () => expect(await countFirstTokens(replica)).toBe(answers));
    };
    model.script = { steps: [{ say: 'It costs ' }, { until: passedOn }, failure] };
    const { text, status } = await client('POST', '/v1/genie/chat', { body: asking(question) });
    const parts = streamedParts(text);
    expect(status).toBe(200);
    expect(textOfParts(parts)).toBe('It costs ');
    expect(parts.find(({ type }) => type === 'error')).toEqual({
      type: 'error',
      errorText: 'The answer could not be finished. Please ask again.',
    });
    expect(text).not.toContain('db-7');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const heard = await askAt(replica);
    expect(heard.errors).toEqual(['The answer could not be finished. Please ask again.']);
  });

  test('a model that writes endlessly is stopped', async () => {
    model.script = { steps: Array.from({ length: 100 }, () => ({ say: 'x'.repeat(1_000) })) };
    const { text } = await chat.tenant.client('POST', '/v1/genie/chat', { body: asking(question) });
    expect(textOfParts(streamedParts(text)).length).toBeLessThanOrEqual(20_000);
    expect(streamedParts(text).some(({ type }) => type === 'error')).toBe(true);
  });
});

test('no log line and no answer contains the key of the model, its address or its error', async () => {
  model.script = { status: 500 };
  const { text } = await chat.tenant.client('POST', '/v1/genie/chat', { body: asking(question) });
  expect(text + chat.logLines.join('')).not.toContain('sk-test-secret');
  expect(text).not.toMatch(/127\.0\.0\.1|not well/);
});

test("no log line contains text of the question that the model's server repeats", async () => {
  for (const steps of [
    [{ error: 'rejected: my card is 4111' }],
    [{ say: 'It ' }, { raw: 'data: {"choices":"my card is 4111"}\n\n' }],
    [{ say: 'It ' }, { raw: 'data: {my card is 4111\n\n' }],
  ]) {
    model.script = { steps };
    await chat.tenant.client('POST', '/v1/genie/chat', { body: asking('my card is 4111') });
  }
  expect(chat.logLines.filter((line) => line.includes('cut off')).length).toBeGreaterThanOrEqual(2);
  expect(chat.logLines.join('')).not.toContain('card is');
});
