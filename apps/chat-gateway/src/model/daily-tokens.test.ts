import { createApiKey, createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { type ModelServer, startModelServer, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, streamedParts, startTestChat, type TestChat, textOfParts } from '../chat-gateway.harness.ts';
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

const usage = statement<{ tokens: string }>('', 'SELECT tokens FROM chat_usage WHERE org_id = $1');
const question = 'What does the Team plan cost?';

describe('the daily tokens of an organization', () => {
  test('once the daily tokens of an organization are used up, the built-in model answers its visitors, in every replica', async () => {
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

  test.each([
    { prompt_tokens: 10.5, completion_tokens: 1, total_tokens: 11.5 },
    { prompt_tokens: 1e30, completion_tokens: 1, total_tokens: 1e30 },
    { prompt_tokens: -1, completion_tokens: -1, total_tokens: -2 },
  ])('a model that reports %o answers the next question, too', async (reported) => {
    model.script = { steps: [{ say: 'Model.' }], usage: reported };
    await using replica = await chat.startReplica({ dailyTokens: 1_000_000 });
    for (const { key, orgId } of [await newTenant(), await newTenant()]) {
      const { message, errors } = await askWithSdk({ url: replica.url, key, texts: [question] });
      expect([textOfMessage(message), errors]).toEqual(['Model.', []]);
      await until(async () => expect((await chat.db.database.query(usage, [orgId])).length).toBe(1));
    }
  });

  test('an answer without reported usage is charged by its length', async () => {
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
    return textOfParts(streamedParts(await response.text()));
  };
  const script = {
    steps: [{ say: 'Model.' }],
    usage: { prompt_tokens: 3_000, completion_tokens: 3_000, total_tokens: 6_000 },
  };
  const bounds = { dailyTokens: 1_000_000, dailyTokensPerIp: 10_000 };

  test('once the daily tokens of a client are used up, the built-in model answers that client, and the configured model all others', async () => {
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

  test('tokens used before a restart or in another replica count', async () => {
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
