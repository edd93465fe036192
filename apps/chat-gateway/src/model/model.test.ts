import { createApiKey, createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { type ModelServer, startModelServer, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, partsOf, startTestChat, type TestChat, textOfParts } from '../chat-gateway.harness.ts';
import { askWithSdk, textOfMessage } from '../sdk.harness.ts';

let model: ModelServer;
let chat: TestChat;

beforeAll(async () => {
  model = await startModelServer();
  chat = await startTestChat({ modelUrl: model.url, firstTokenMs: 300, stallMs: 300 });
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const usage = statement<{ tokens: string }>('', 'SELECT tokens FROM chat_usage WHERE org_id = $1');
const question = 'What does the Team plan cost?';
const ask = () => askWithSdk({ url: chat.url, key: chat.tenant.key, texts: [question] });

describe('a model that fails before its first token is replaced by the built-in one', () => {
  test.each([
    ['refuses the key', { status: 401 }],
    ['is limited', { status: 429 }],
    ['is broken', { status: 500 }],
    ['is silent', { steps: [{ pause: Infinity }] }],
    ['reports an error', { steps: [{ error: 'overloaded' }] }],
    ['drops the connection', { steps: [{ drop: true as const }] }],
    ['closes the stream', { steps: [{ close: true as const }] }],
    ['says nothing', { steps: [] }],
    ['says only white space', { steps: [{ say: '' }, { say: ' \n' }] }],
    [
      'writes a line without end',
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
  ])('the built-in model replaces one that fails before its first token: it %s', async (_how, script) => {
    model.script = script;
    const { message, errors } = await ask();
    expect(errors).toEqual([]);
    expect(textOfMessage(message)).toContain('29 euros');
    expect(message!.parts.filter(({ type }) => type === 'source-url')).toHaveLength(1);
  });

  test('the built-in model replaces one that is unreachable', async () => {
    const gone = await startModelServer();
    await gone[Symbol.asyncDispose]();
    await using replica = await chat.startReplica({ modelUrl: gone.url });
    const { message } = await askWithSdk({ url: replica.url, key: chat.tenant.key, texts: [question] });
    expect(textOfMessage(message)).toContain('29 euros');
  });
});

describe('a model that fails in the middle: what came stays, and a fixed text says that it was cut off', () => {
  test.each([
    ['reports an error', { error: 'the secret host db-7 is down' }],
    ['drops the connection', { drop: true as const }],
    ['closes the stream', { close: true as const }],
    ['falls silent', { pause: Infinity }],
  ])('an answer keeps its text and ends with a fixed error text if the model %s', async (_how, failure) => {
    model.script = { steps: [{ say: 'It costs ' }, { pause: 100 }, failure] };
    const { text, status } = await chat.tenant.client('POST', '/v1/genie/chat', { body: asking(question) });
    const parts = partsOf(text);
    expect(status).toBe(200);
    expect(textOfParts(parts)).toBe('It costs ');
    expect(parts.find(({ type }) => type === 'error')).toEqual({
      type: 'error',
      errorText: 'The answer could not be finished. Please ask again.',
    });
    expect(text).not.toContain('db-7');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const heard = await ask();
    expect(heard.errors).toEqual(['The answer could not be finished. Please ask again.']);
  });

  test('a model that writes without end is stopped', async () => {
    model.script = { steps: Array.from({ length: 100 }, () => ({ say: 'x'.repeat(1_000) })) };
    const { text } = await chat.tenant.client('POST', '/v1/genie/chat', { body: asking(question) });
    expect(textOfParts(partsOf(text)).length).toBeLessThanOrEqual(20_000);
    expect(partsOf(text).some(({ type }) => type === 'error')).toBe(true);
  });
});

test('no log line and no answer has the key of the model, its address or its error', async () => {
  model.script = { status: 500 };
  const { text } = await chat.tenant.client('POST', '/v1/genie/chat', { body: asking(question) });
  expect(text + chat.logLines.join('')).not.toContain('sk-test-secret');
  expect(text).not.toMatch(/127\.0\.0\.1|not well/);
});

test('no log line has text of the question that the server of the model repeats', async () => {
  for (const steps of [
    [{ error: 'rejected: my card is 4111' }],
    [{ say: 'It ' }, { raw: 'data: {"choices":"my card is 4111"}\n\n' }],
    [{ say: 'It ' }, { raw: 'data: {my card is 4111\n\n' }],
  ]) {
    model.script = { steps };
    await chat.tenant.client('POST', '/v1/genie/chat', { body: asking('my card is 4111') });
  }
  expect(chat.logLines.filter((line) => line.includes('cut off')).length).toBeGreaterThanOrEqual(2);
  expect(chat.logLines.join('')).not.toContain('4111');
});

describe('the daily tokens of an organization', () => {
  test('once the daily tokens of an organization are used up the built-in model answers it, in every replica', async () => {
    model.script = {
      steps: [{ say: 'Model.' }],
      usage: { prompt_tokens: 3_000, completion_tokens: 3_000, total_tokens: 6_000 },
    };
    await using first = await chat.startReplica({ dailyTokens: 8_000 });
    const askAt = async (url: string, key: string) =>
      textOfMessage((await askWithSdk({ url, key, texts: [question] })).message);
    expect(await askAt(first.url, chat.tenant.key)).toBe('Model.');
    await until(async () => expect(await askAt(first.url, chat.tenant.key)).toContain('29 euros'));
    await using second = await chat.startReplica({ dailyTokens: 8_000 });
    expect(await askAt(second.url, chat.tenant.key)).toContain('29 euros');
    expect(await askAt(second.url, chat.other.key)).toBe('Model.');
  });

  test('the reported tokens are charged, and a refused call costs nothing', async () => {
    const { key, orgId } = await newTenant();
    const replica = await chat.startReplica({ dailyTokens: 1_000_000 });
    const askAt = () => askWithSdk({ url: replica.url, key, texts: [question] });
    model.script = {
      steps: [{ say: 'Model.' }],
      usage: { prompt_tokens: 700, completion_tokens: 77, total_tokens: 777 },
    };
    await askAt();
    model.script = { status: 401 };
    await askAt();
    await replica[Symbol.asyncDispose]();
    const [used] = await chat.db.database.query(usage, [orgId]);
    expect(Number(used!.tokens)).toBe(777);
  });

  test('the built-in model answers if the daily tokens cannot be counted', async () => {
    await using other = await startTestChat({ modelUrl: model.url, dailyTokens: 1_000_000 });
    model.script = { steps: [{ say: 'Model.' }] };
    await other.db.owner.query(statement('', 'ALTER TABLE chat_usage RENAME TO hidden'), []);
    const { message } = await askWithSdk({ url: other.url, key: other.tenant.key, texts: [question] });
    expect(textOfMessage(message)).toContain('29 euros');
  });

  test('an answer without reported usage is counted by its length', async () => {
    model.script = { steps: [{ say: 'x'.repeat(20_000) }], usage: undefined };
    await using replica = await chat.startReplica({ dailyTokens: 25_000 });
    const { key } = await newTenant();
    const askAt = async () => textOfMessage((await askWithSdk({ url: replica.url, key, texts: [question] })).message);
    const answers = [];
    for (let at = 0; at < 6; at++) answers.push((await askAt()).startsWith('xxx'));
    expect(answers.filter(Boolean).length).toBeLessThanOrEqual(4);
    expect(answers[0]).toBe(true);
    expect(answers.at(-1)).toBe(false);
  });
});

describe('the daily tokens of one client', () => {
  const answerFor = async (url: string, key: string, ip: string) => {
    const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', 'X-Forwarded-For': ip };
    const body = JSON.stringify(asking(question));
    const response = await fetch(`${url}/v1/genie/chat`, { method: 'POST', headers, body });
    return textOfParts(partsOf(await response.text()));
  };
  const script = {
    steps: [{ say: 'Model.' }],
    usage: { prompt_tokens: 3_000, completion_tokens: 3_000, total_tokens: 6_000 },
  };
  const bounds = { dailyTokens: 1_000_000, dailyTokensPerIp: 10_000 };

  test('once the daily tokens of a client are used up the built-in model answers it, and the configured one all others', async () => {
    model.script = script;
    const { key } = await newTenant();
    await using replica = await chat.startReplica(bounds);
    const answers = [];
    for (let at = 0; at < 4; at++) answers.push(await answerFor(replica.url, key, '192.0.2.1'));
    expect(answers.slice(0, 2)).toEqual(['Model.', 'Model.']);
    expect(answers[2]).toContain('29 euros');
    expect(answers[3]).toContain('29 euros');
    expect(await answerFor(replica.url, key, '192.0.2.2')).toBe('Model.');
    expect(await answerFor(replica.url, chat.other.key, '192.0.2.1')).toBe('Model.');
  });

  test('the networks of one IPv6 site share four times the daily tokens of a client', async () => {
    model.script = script;
    const { key } = await newTenant();
    await using replica = await chat.startReplica({ ...bounds, dailyTokensPerIp: 6_000 });
    const answers = [];
    for (let at = 0; at < 6; at++) answers.push(await answerFor(replica.url, key, `2001:db8:0:ab0${at}::1`));
    expect(answers.map((text) => text === 'Model.')).toEqual([true, true, true, true, false, false]);
    expect(await answerFor(replica.url, key, '2001:db8:0:ac00::1')).toBe('Model.');
  });

  test('tokens used before a restart, or at another replica, count', async () => {
    model.script = script;
    const { key } = await newTenant();
    await using first = await chat.startReplica(bounds);
    for (let at = 0; at < 2; at++) expect(await answerFor(first.url, key, '192.0.2.3')).toBe('Model.');
    await first[Symbol.asyncDispose]();
    await using second = await chat.startReplica(bounds);
    expect(await answerFor(second.url, key, '192.0.2.3')).toContain('29 euros');
    expect(await answerFor(second.url, key, '192.0.2.4')).toBe('Model.');
  });
});

async function newTenant() {
  const { id: orgId } = await createOrganization(chat.db.database, 'Initech');
  const { key } = await createApiKey(chat.db.database, orgId, { name: 'chat', kind: 'secret', scopes: ['chat'] });
  return { orgId, key };
}
