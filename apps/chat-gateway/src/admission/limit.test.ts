import { expectRateLimit, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, type TestGateway, startTestChat, type TestChat } from '../chat-gateway.harness.ts';

let chat: TestChat;
const limits = { chat: { points: 4, windowMs: 60_000 }, demo: { points: 2, windowMs: 60_000 } };
let [lastIp, lastSite] = [0, 0];
/** Returns an address that no other test uses. */
const newIp = () => `192.0.2.${++lastIp}`;
/** Chooses an unused IPv6 site (a /56 network), and returns a function that returns one of its /64 networks. */
const newSite = () => {
  const site = (0x10 + ++lastSite).toString(16);
  return (network: number) => `2001:db8:0:${site}${network.toString(16).padStart(2, '0')}::1`;
};

beforeAll(async () => void (chat = await startTestChat({ limits })));
afterAll(() => chat[Symbol.asyncDispose]());

async function ask(
  { url }: Pick<TestGateway, 'url'>,
  forwardedFor: string | undefined,
  path = 'chat',
): Promise<Response> {
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

async function statuses(
  count: number,
  from: (at: number) => string | undefined,
  gateway: Pick<TestGateway, 'url'> = chat,
) {
  const all = [];
  for (let at = 0; at < count; at++) all.push((await ask(gateway, from(at))).status);
  return all;
}

test('a client IP may send exactly as many chats as its limit, and then gets 429 with the time to wait', async () => {
  const ip = newIp();
  expect(await statuses(4, () => ip)).toEqual([200, 200, 200, 200]);
  const refused = await ask(chat, ip);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit-limit')).toBe('4');
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect((await ask(chat, newIp())).status).toBe(200);
});

test('demo requests have a separate limit', async () => {
  const ip = newIp();
  expect(await statuses(4, () => ip)).not.toContain(429);
  const demos = [];
  for (let at = 0; at < 3; at++) demos.push((await ask(chat, ip, 'demo-request')).status);
  expect(demos).toEqual([502, 502, 429]);
});

test('429 is answered before 400 for the body, and after 401 for the key', async () => {
  const ip = newIp();
  await statuses(4, () => ip);
  const headers = { 'X-Forwarded-For': ip };
  expect((await chat.tenant.client('POST', '/v1/genie/chat', { headers, body: '{' })).status).toBe(429);
  expect((await chat.tenant.client('POST', '/v1/genie/chat', { headers, key: 'x', body: '{' })).status).toBe(401);
});

describe('headers cannot evade the limit', () => {
  test.each<[string, (ip: string, at: number) => string]>([
    ['an address put in front', (ip, at) => `10.0.0.${at}, ${ip}`],
    ['many addresses put in front', (ip, at) => `${'10.0.0.1, '.repeat(100)}10.1.0.${at}, ${ip}`],
    ['spaces around the address', (ip, at) => `${' '.repeat(at)}${ip}${' '.repeat(at)}`],
    ['a port', (ip, at) => `${ip}:${4_000 + at}`],
    ['the IPv6 form of the address', (ip, at) => (at % 2 === 0 ? ip : `::ffff:${ip}`)],
  ])('a client cannot evade its limit by headers with %s', async (_how, from) => {
    const ip = newIp();
    expect(await statuses(6, (at) => from(ip, at))).toEqual([200, 200, 200, 200, 429, 429]);
  });

  test('all addresses of an IPv6 /64 network share one limit', async () => {
    expect(await statuses(6, (at) => `2001:db8:0:1:${at}::1`)).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await ask(chat, '2001:db8:0:2::1')).status).toBe(200);
  });

  test('X-Forwarded-For is ignored if no proxy is configured', async () => {
    await using gateway = await chat.startReplica({
      proxies: 0,
      limits: { ...limits, chat: { points: 3, windowMs: 60_000 } },
    });
    expect(await statuses(5, () => newIp(), gateway)).toEqual([200, 200, 200, 429, 429]);
  });
});

describe('all networks of one IPv6 site together get four times the limit of one network', () => {
  const counted = (all: number[]) =>
    Object.fromEntries(
      Map.groupBy(all, (status) => status)
        .entries()
        .map(([status, same]) => [status, same.length]),
    );

  test('thirty /64 networks in one IPv6 site share four times the limit of chats', async () => {
    const site = newSite();
    expect(counted(await statuses(30, site))).toEqual({ 200: 16, 429: 14 });
    const refused = await ask(chat, site(31));
    expect(refused.headers.get('ratelimit-limit')).toBe('16');
    expect(refused.headers.get('ratelimit-policy')).toMatch(/^"site";q=16;/);
    expectRateLimit(refused.headers);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(chat, newSite()(1))).status).toBe(200);
  });

  test('the networks of one IPv6 site share four times the limit of demo requests', async () => {
    const site = newSite();
    const all = [];
    for (let network = 0; network < 10; network++) all.push((await ask(chat, site(network), 'demo-request')).status);
    expect(counted(all)).toEqual({ 502: 8, 429: 2 });
  });

  test('the limit of an IPv6 site applies across replicas', async () => {
    const site = newSite();
    await using other = await chat.startReplica();
    expect(await statuses(16, site)).not.toContain(429);
    let network = 20;
    await until(async () => expect((await ask(other, site(network++))).status).toBe(429));
  });

  test('a response to a network that exceeds its own limit shows that limit, and refused requests do not count for the site', async () => {
    const site = newSite();
    expect(counted(await statuses(40, () => site(1)))).toEqual({ 200: 4, 429: 36 });
    expect((await ask(chat, site(1))).headers.get('ratelimit-limit')).toBe('4');
    const other = await ask(chat, site(2));
    expect(other.status).toBe(200);
    expect([other.headers.get('ratelimit-limit'), other.headers.get('ratelimit-remaining')]).toEqual(['4', '3']);
  });
});

test('the limit of a client IP applies across replicas', async () => {
  const ip = newIp();
  await using other = await chat.startReplica();
  expect(await statuses(4, () => ip)).not.toContain(429);
  await until(async () => expect((await ask(other, ip)).status).toBe(429));
});
