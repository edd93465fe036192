import { type ModelServer, startModelServer, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asking, type TestGateway, startTestChat, type TestChat } from '../chat-gateway.harness.ts';

let model: ModelServer;
let chat: TestChat;
let [lastIp, lastSite] = [0, 0];
/** Returns an address that no other test uses. */
const newIp = () => `192.0.2.${++lastIp}`;
/** Chooses an IPv6 site (/56) that no other test uses, and returns a function that returns one of its /64 networks. */
const newSite = () => {
  const site = (0x10 + ++lastSite).toString(16);
  return (network: number) => `2001:db8:0:${site}${network.toString(16).padStart(2, '0')}::1`;
};

beforeAll(async () => {
  model = await startModelServer({ steps: [{ say: 'It ' }, { pause: Infinity }] });
  chat = await startTestChat();
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Starts a replica in which no answer ends by itself during a test, even on a busy machine. */
const open = (streams: { perIp: number | null; most: number }) =>
  chat.startReplica({
    modelUrl: model.url,
    limits: { chat: null, demo: null },
    streams,
  });

/**
 * Creates visitors whose answers stay open until they leave or the test ends. Keeps references to the responses, since
 * garbage collection of a response would close it.
 */
function visitorsOf({ url }: Pick<TestGateway, 'url'>) {
  const begun: Response[] = [];
  const leave = (response: Response) => response.body!.cancel();
  const begin = async (ip: string, key = chat.tenant.key) => {
    const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', 'X-Forwarded-For': ip };
    const body = JSON.stringify(asking('Hello'));
    const response = await fetch(`${url}/v1/genie/chat`, { method: 'POST', headers, body });
    begun.push(response);
    return response;
  };
  return { begin, leave, [Symbol.asyncDispose]: async () => void (await Promise.all(begun.map(leave))) };
}

test('a client IP has a limited number of open answers, and may ask again once one of them has ended', async () => {
  await using gateway = await open({ perIp: 2, most: 6 });
  await using visitors = visitorsOf(gateway);
  const ip = newIp();
  const [first, second] = [await visitors.begin(ip), await visitors.begin(ip)];
  expect([first.status, second.status]).toEqual([200, 200]);
  const refused = await visitors.begin(ip);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect((await visitors.begin(newIp())).status).toBe(200);
  expect((await visitors.begin(newIp())).status).toBe(503);
  await visitors.leave(first);
  await until(async () => expect((await visitors.begin(ip)).status).toBe(200));
});

test('the networks of one IPv6 site may together have four times as many open answers as one network', async () => {
  await using gateway = await open({ perIp: 1, most: 100 });
  await using visitors = visitorsOf(gateway);
  const site = newSite();
  const all: number[] = [];
  for (let network = 0; network < 6; network++) all.push((await visitors.begin(site(network))).status);
  expect(all).toEqual([200, 200, 200, 200, 429, 429]);
  expect((await visitors.begin(newSite()(1))).status).toBe(200);
});

test('the visitors of one organization take at most half of the slots, however slow their model is', async () => {
  await using gateway = await open({ perIp: null, most: 20 });
  await using visitors = visitorsOf(gateway);
  const all = await Promise.all(Array.from({ length: 30 }, () => visitors.begin(newIp())));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = all.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(20);
  expect(refused.every(({ headers }) => headers.get('retry-after') === '2')).toBe(true);
  expect((await visitors.begin(newIp(), chat.other.key)).status).toBe(200);
});
