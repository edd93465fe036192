import { createServer } from 'node:http';
import { type Channel, createChannel } from '@relata/channel';
import type { Db } from '@relata/db';
import { createTestDatabase, teamChannel, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { claimDemoRequest } from './demo-request-claim.sql.ts';
import { type ForwardOptions } from './forward-demo-request.ts';
import { type DemoRequest, findDemoRequest, forwardDemoRequest, storeDemoRequest } from './index.ts';
import { actorIn, ada, answer, closedPort, makeOrganization, muteServer, silence } from './demo-requests.harness.ts';

let testDatabase: TestDatabase;
let orgId: string;
let request: DemoRequest;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  orgId = await makeOrganization(db());
});
beforeEach(async () => void (request = await storeDemoRequest(db(), actorIn(orgId), ada)));
afterAll(() => testDatabase[Symbol.asyncDispose]());

const db = () => testDatabase.database;
const found = async () => (await findDemoRequest(db(), orgId, request.id))!;

function forward(channel: Channel | string | undefined, options: Partial<ForwardOptions> = {}) {
  return forwardDemoRequest({
    db: db(),
    channel: typeof channel === 'string' ? createChannel({ url: channel, kind: 'slack', timeoutMs: 60_000 }) : channel,
    request,
    onError: (error) => expect.fail(String(error)),
    ...options,
  });
}

describe('what is posted', () => {
  test('a request is posted once with its organization and all of its fields, and is sent', async () => {
    const channel = await teamChannel(answer(200));
    expect(await forward(channel.url)).toEqual({ ok: true });
    expect(channel.bodies).toHaveLength(1);
    expect(channel.bodies[0]).toMatch(/Organization[^}]*\},\{[^}]*"Acme"/);
    for (const value of [ada.name, ada.work_email, ada.company!, 'We would like to see\\nthe pipeline view.'])
      expect(channel.bodies[0]).toContain(value);
    expect(channel.bodies[0]).not.toMatch(/again|Cut to fit/);
    expect(await found()).toMatchObject({ status: 'sent', attempts: 1, last_error: null, sent_at: expect.any(String) });
  });

  test('a message that is too long is cut, with the command that shows all of it', async () => {
    request = await storeDemoRequest(db(), actorIn(orgId), { ...ada, message: 'x'.repeat(100_000) });
    const channel = await teamChannel(answer(200));
    await forward(channel.url);
    expect(channel.bodies[0]!.length).toBeLessThan(20_000);
    expect(channel.bodies[0]).toContain(`relata demo-requests show ${request.id}`);
  });
});

describe('another post is made', () => {
  test.each([500, 503, 429])(
    'another post is made after a %i, since the message surely did not arrive',
    async (status) => {
      const channel = await teamChannel(answer(status), answer(status), answer(200));
      expect(await forward(channel.url)).toEqual({ ok: true });
      expect(channel.bodies).toHaveLength(3);
      expect(await found()).toMatchObject({ status: 'sent', attempts: 1 });
    },
  );

  test('another post is made if the connection failed', async () => {
    const port = await closedPort();
    const failing = createChannel({ url: `http://127.0.0.1:${port}`, kind: 'slack' });
    const later = createServer((_request, response) => response.end());
    onTestFinished(() => void later.close());
    const postForm: Channel['postForm'] = (form, signal) =>
      failing.postForm(form, signal).finally(() => later.listening || later.listen(port, '127.0.0.1'));
    expect(await forward({ ...failing, postForm })).toEqual({ ok: true });
  });

  test('another post is made after the time that the channel asks for', async () => {
    const channel = await teamChannel(answer(429, { 'retry-after': '1' }), answer(200));
    const beganMs = performance.now();
    expect(await forward(channel.url)).toEqual({ ok: true });
    expect(performance.now() - beganMs).toBeGreaterThan(990);
  });

  test('a request is posted five times at most', async () => {
    const channel = await teamChannel(answer(503));
    expect(await forward(channel.url, { deadlineMs: 60_000 })).toMatchObject({ ok: false, code: 'rejected' });
    expect(channel.bodies).toHaveLength(5);
    const last_error = { code: 'rejected', message: 'The channel answered with status 503.', status: 503 };
    expect(await found()).toMatchObject({ status: 'failed', attempts: 1, last_error, sent_at: null });
  });
});

describe('no other post is made', () => {
  test.each([400, 403, 404, 410])('no other post is made after a %i', async (status) => {
    const channel = await teamChannel(answer(status));
    const forwarded = await forward(channel.url);
    expect(forwarded).toEqual({ ok: false, code: 'rejected', message: `The channel answered with status ${status}.` });
    expect(channel.bodies).toHaveLength(1);
    expect(await found()).toMatchObject({ status: 'failed', last_error: { code: 'rejected', status } });
  });

  test('a redirect is not followed', async () => {
    const channel = await teamChannel(answer(307, { location: '/elsewhere' }));
    expect(await forward(channel.url)).toMatchObject({ ok: false, code: 'rejected' });
    expect(channel.paths).toEqual(['/s3cret']);
  });

  test('no other post is made if the channel asks for a longer wait than the deadline', async () => {
    const channel = await teamChannel(answer(429, { 'retry-after': '5' }));
    const beganMs = performance.now();
    expect(await forward(channel.url)).toMatchObject({ ok: false, code: 'rejected' });
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    expect(channel.bodies).toHaveLength(1);
  });

  test('no other post is made after a silence, since the message may have arrived; the deadline is for all posts together', async () => {
    const channel = await teamChannel(answer(503), silence);
    const beganMs = performance.now();
    const forwarded = await forward(channel.url, { deadlineMs: 700 });
    expect(forwarded).toEqual({ ok: false, code: 'timeout', message: 'The channel did not answer in time.' });
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    expect(channel.bodies).toHaveLength(2);
    expect(await found()).toMatchObject({ status: 'in_doubt', last_error: { code: 'timeout' } });
  });

  test('no other post is made if the connection broke after the message was sent', async () => {
    const channel = await teamChannel((response) => response.destroy());
    expect(await forward(channel.url)).toMatchObject({ ok: false, code: 'connection' });
    expect(channel.bodies).toHaveLength(1);
    expect(await found()).toMatchObject({ status: 'in_doubt' });
  });

  test('no other post is made after an abort', async () => {
    const channel = await teamChannel(answer(503, { 'retry-after': '4' }));
    const stopping = new AbortController();
    const forwarding = forward(channel.url, { signal: stopping.signal });
    await until(() => expect(channel.bodies).toHaveLength(1));
    const beganMs = performance.now();
    stopping.abort();
    expect(await forwarding).toMatchObject({ ok: false });
    expect(performance.now() - beganMs).toBeLessThan(3_000);
    expect(await found()).toMatchObject({ status: 'failed' });
  });
});

test('a connection that was never made leaves no doubt, however long it took', async () => {
  const url = `https://127.0.0.1:${await muteServer()}/s3cret`;
  const forwarded = await forward(url, { deadlineMs: 300 });
  expect(forwarded).toEqual({ ok: false, code: 'timeout', message: 'The channel could not be reached in time.' });
  expect(await found()).toMatchObject({ status: 'failed' });
});

test('without a channel a request fails as not configured', async () => {
  expect(await forward(undefined)).toMatchObject({ ok: false, code: 'not_configured' });
  expect(await found()).toMatchObject({ status: 'failed', last_error: { code: 'not_configured' } });
});

test('neither the answer nor what is stored holds the address of the channel', async () => {
  for (const url of ['http://127.0.0.1:1/s3cret', (await teamChannel(answer(500))).url, 'http://s3cret.invalid/']) {
    request = await storeDemoRequest(db(), actorIn(orgId), ada);
    const forwarded = await forward(url, { deadlineMs: 300 });
    expect(forwarded.ok).toBe(false);
    expect(JSON.stringify([forwarded, await found()])).not.toMatch(/s3cret|127\.0\.0\.1|invalid\//);
  }
});

describe('a request is sent once', () => {
  test('a request is sent once if many callers send it at the same moment', async () => {
    const channel = await teamChannel(answer(200));
    const forwarded = await Promise.all(Array.from({ length: 8 }, () => forward(channel.url)));
    expect(channel.bodies).toHaveLength(1);
    expect(forwarded.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('a request is sent once if another caller starts while it is being sent, or right after', async () => {
    let finish: (() => void) | undefined;
    const channel = await teamChannel((response) => (finish = () => response.end()));
    const first = forward(channel.url);
    await until(() => expect(finish).toBeDefined());
    expect(await forward(channel.url, { request: await found() })).toMatchObject({ ok: false, code: 'busy' });
    expect(await found()).toMatchObject({ status: 'sending' });
    finish!();
    expect(await first).toEqual({ ok: true });
    expect(await forward(channel.url)).toMatchObject({ ok: false, code: 'already_sent' });
    expect(await forward(channel.url, { request: await found() })).toMatchObject({ ok: false, code: 'already_sent' });
    expect(channel.bodies).toHaveLength(1);
  });

  test('a request is sent once for each time it was read: a caller that has not read the last attempt starts no other', async () => {
    const channel = await teamChannel(answer(200));
    await forward(channel.url);
    const seen = await found();
    const again = () => forward(channel.url, { request: seen, mayRepeat: true });
    expect(await again()).toEqual({ ok: true });
    expect(await again()).toMatchObject({ ok: false, code: 'busy' });
    expect(channel.bodies).toHaveLength(2);
  });

  test('a sent request is sent again only on demand, marked as a repeat', async () => {
    const channel = await teamChannel(answer(200));
    await forward(channel.url);
    expect(await forward(channel.url, { request: await found(), mayRepeat: true })).toEqual({ ok: true });
    expect(channel.bodies).toHaveLength(2);
    expect(channel.bodies[1]).toContain('Demo request, sent again');
    expect(await found()).toMatchObject({ status: 'sent', attempts: 2 });
  });
});

test('nothing is posted under a claim that was answered after it had run out', async () => {
  const channel = await teamChannel(answer(200));
  const claimSlowly: Db = {
    query: async (statement, values) => {
      const rows = await db().query(statement, values);
      if (statement.name === 'demo_requests.claim')
        vi.spyOn(performance, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER);
      return rows;
    },
  };
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await forward(channel.url, { db: claimSlowly })).toMatchObject({ ok: false, code: 'timeout' });
  expect(channel.bodies).toEqual([]);
  expect(await found()).toMatchObject({ status: 'failed' });
});

test('what a killed process leaves is in doubt once its claim has run out, and can be sent again', async () => {
  await claimDemoRequest(db(), request, { leaseMs: 300, mayRepeat: false });
  const channel = await teamChannel(answer(200));
  expect(await forward(channel.url, { request: await found() })).toMatchObject({ ok: false, code: 'busy' });
  await until(async () => expect(await found()).toMatchObject({ status: 'in_doubt', last_error: null }));
  expect(await forward(channel.url, { request: await found() })).toEqual({ ok: true });
  expect(channel.bodies[0]).toContain('sent again');
});

test('what may have arrived stays in doubt when another attempt fails, and what arrived stays sent', async () => {
  const channel = await teamChannel((response) => response.destroy(), answer(404), answer(200), answer(404));
  for (const status of ['in_doubt', 'in_doubt', 'sent', 'sent']) {
    await forward(channel.url, { request: await found(), mayRepeat: true });
    expect(await found()).toMatchObject({ status });
  }
  expect(await found()).toMatchObject({ last_error: { code: 'rejected', status: 404 }, sent_at: expect.any(String) });
});

describe('a database that goes away', () => {
  const without = (name: string, instead: () => Promise<never>): Db => ({
    query: (statement, values) => (statement.name === name ? instead() : db().query(statement, values)),
  });

  test('nothing is posted if the claim fails', async () => {
    const channel = await teamChannel(answer(200));
    const away = without('demo_requests.claim', () => Promise.reject(new Error('away')));
    await expect(forward(channel.url, { db: away })).rejects.toThrow('away');
    expect(channel.bodies).toEqual([]);
  });

  test('if recording the outcome fails, the result is still true, the error is reported, and the request is in doubt', async () => {
    const channel = await teamChannel(answer(200));
    const errors: unknown[] = [];
    const away = without('demo_requests.note', () => Promise.reject(new Error('away')));
    expect(await forward(channel.url, { db: away, onError: (error) => errors.push(error) })).toEqual({ ok: true });
    expect(errors).toMatchObject([{ message: 'away' }]);
    expect(await found()).toMatchObject({ status: 'sending', attempts: 1 });
  });

  test('the result does not wait for a database that never answers', async () => {
    const channel = await teamChannel(answer(404));
    const mute = without('demo_requests.note', () => new Promise(() => undefined));
    const beganMs = performance.now();
    expect(await forward(channel.url, { db: mute })).toMatchObject({ ok: false, code: 'rejected' });
    expect(performance.now() - beganMs).toBeLessThan(10_000);
  });
});
