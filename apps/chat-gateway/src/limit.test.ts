import { type ModelServer, startModelServer, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, type Gateway, startTestChat, type TestChat } from './chat-gateway.harness.ts';

let chat: TestChat;
const limits = { chat: { points: 4, windowMs: 60_000 }, demo: { points: 2, windowMs: 60_000 } };
let lastIp = 0;
/** An address that no other test uses. */
const newIp = () => `192.0.2.${++lastIp}`;

beforeAll(async () => void (chat = await startTestChat({ limits })));
afterAll(() => chat[Symbol.asyncDispose]());

async function ask({ url }: Pick<Gateway, 'url'>, forwardedFor: string | undefined, path = 'chat'): Promise<Response> {
  const response = await fetch(`${url}/v1/genie/${path}`, {
    method: 'POST',
    headers: {
      'X-Api-Key': chat.tenant.key,
      'Content-Type': 'application/json',
      ...(forwardedFor !== undefined && { 'X-Forwarded-For': forwardedFor }),
    },
    body: JSON.stringify(path === 'chat' ? asking('Hello') : { name: 'Ada', work_email: 'ada@robotics.example' }),
  });
  await response.text();
  return response;
}

async function statuses(count: number, from: (at: number) => string | undefined, gateway: Pick<Gateway, 'url'> = chat) {
  const all = [];
  for (let at = 0; at < count; at++) all.push((await ask(gateway, from(at))).status);
  return all;
}

test('exactly so many chats are let through for one client IP; then 429, with when to come back', async () => {
  const ip = newIp();
  expect(await statuses(4, () => ip)).toEqual([200, 200, 200, 200]);
  const refused = await ask(chat, ip);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit-limit')).toBe('4');
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect((await ask(chat, newIp())).status).toBe(200);
});

test('demo requests have a limit of their own', async () => {
  const ip = newIp();
  expect(await statuses(4, () => ip)).not.toContain(429);
  const demos = [];
  for (let at = 0; at < 3; at++) demos.push((await ask(chat, ip, 'demo-request')).status);
  expect(demos).toEqual([502, 502, 429]);
});

test('429 comes before what is wrong with the body, and after what is wrong with the key', async () => {
  const ip = newIp();
  await statuses(4, () => ip);
  const headers = { 'X-Forwarded-For': ip };
  expect((await chat.tenant.client('POST', '/v1/genie/chat', { headers, body: '{' })).status).toBe(429);
  expect((await chat.tenant.client('POST', '/v1/genie/chat', { headers, key: 'x', body: '{' })).status).toBe(401);
});

describe('headers do not evade it', () => {
  test.each<[string, (ip: string, at: number) => string]>([
    ['an address put in front', (ip, at) => `10.0.0.${at}, ${ip}`],
    ['many addresses put in front', (ip, at) => `${'10.0.0.1, '.repeat(100)}10.1.0.${at}, ${ip}`],
    ['blanks around it', (ip, at) => `${' '.repeat(at)}${ip}${' '.repeat(at)}`],
    ['a port', (ip, at) => `${ip}:${4_000 + at}`],
    ['the form of IPv6', (ip, at) => (at % 2 === 0 ? ip : `::ffff:${ip}`)],
  ])('%s', async (_how, from) => {
    const ip = newIp();
    expect(await statuses(6, (at) => from(ip, at))).toEqual([200, 200, 200, 200, 429, 429]);
  });

  test('another address of the same IPv6 network', async () => {
    expect(await statuses(6, (at) => `2001:db8:0:1:${at}::1`)).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await ask(chat, '2001:db8:0:2::1')).status).toBe(200);
  });

  test('without a proxy in front, nothing that a header says counts', async () => {
    await using gateway = await chat.startReplica({
      proxies: 0,
      limits: { ...limits, chat: { points: 3, windowMs: 60_000 } },
    });
    expect(await statuses(5, () => newIp(), gateway)).toEqual([200, 200, 200, 429, 429]);
  });
});

test('it holds over replicas', async () => {
  const ip = newIp();
  await using other = await chat.startReplica();
  expect(await statuses(4, () => ip)).not.toContain(429);
  await until(async () => expect((await ask(other, ip)).status).toBe(429));
});

describe('answers at once', () => {
  let model: ModelServer;
  beforeAll(async () => void (model = await startModelServer({ steps: [{ say: 'It ' }, { pause: Infinity }] })));
  afterAll(() => model[Symbol.asyncDispose]());

  const begin = async (url: string, ip: string, signal: AbortSignal) =>
    fetch(`${url}/v1/genie/chat`, {
      method: 'POST',
      headers: { 'X-Api-Key': chat.tenant.key, 'Content-Type': 'application/json', 'X-Forwarded-For': ip },
      body: JSON.stringify(asking('Hello')),
      signal,
    });

  test('one client IP is given so many, and a place is free again when one has ended', async () => {
    const none = { chat: null, demo: null };
    await using gateway = await chat.startReplica({
      modelUrl: model.url,
      limits: none,
      streams: { perIp: 2, most: 3 },
    });
    const [ip, visits] = [newIp(), [0, 1, 2].map(() => new AbortController())];
    for (const visit of visits.slice(0, 2)) expect((await begin(gateway.url, ip, visit.signal)).status).toBe(200);
    const refused = await begin(gateway.url, ip, visits[2]!.signal);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
    const last = new AbortController();
    expect((await begin(gateway.url, newIp(), last.signal)).status).toBe(200);
    expect((await begin(gateway.url, newIp(), last.signal)).status).toBe(503);
    visits[0]!.abort();
    await until(async () => expect((await begin(gateway.url, ip, last.signal)).status).toBe(200));
    for (const visit of [...visits, last]) visit.abort();
  });
});
