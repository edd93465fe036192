import { type Db, statement } from '@relata/db';
import { teamChannel, until } from '@relata/testing';
import { expect, describe, onTestFinished, test, vi } from 'vitest';
import { claimDemoRequest } from './demo-request-claim.sql.ts';
import { respondWith, setUpRequest } from './demo-requests.harness.ts';

const { db, stored, found, forward } = setUpRequest();
// In the past, because the clock of a machine may be set back a little between two statements.
const expire = statement<never>(
  '',
  "UPDATE demo_requests SET claimed_until = now() - interval '1 second' WHERE id = $1",
);

describe('a request is sent once', () => {
  test('a request is sent once if many callers send it at the same moment', async () => {
    const channel = await teamChannel(respondWith(200));
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

  test('a request is sent once per read: a caller that has not read the last attempt sends nothing', async () => {
    const channel = await teamChannel(respondWith(200));
    await forward(channel.url);
    const seen = await found();
    const again = () => forward(channel.url, { request: seen, mayRepeat: true });
    expect(await again()).toEqual({ ok: true });
    expect(await again()).toMatchObject({ ok: false, code: 'busy' });
    expect(channel.bodies).toHaveLength(2);
  });

  test('a sent request is sent again only on demand, marked as a repeat', async () => {
    const channel = await teamChannel(respondWith(200));
    await forward(channel.url);
    expect(await forward(channel.url, { request: await found(), mayRepeat: true })).toEqual({ ok: true });
    expect(channel.bodies).toHaveLength(2);
    expect(channel.bodies[1]).toContain('Demo request, sent again');
    expect(await found()).toMatchObject({ status: 'sent', attempts: 2 });
  });
});

test('nothing is posted if the claim has expired before the database answers', async () => {
  const channel = await teamChannel(respondWith(200));
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

test('a killed process leaves a request in doubt once its claim has expired, and it can be sent again', async () => {
  await claimDemoRequest(db(), stored(), { leaseMs: 60_000, mayRepeat: false });
  const channel = await teamChannel(respondWith(200));
  expect(await forward(channel.url, { request: await found() })).toMatchObject({ ok: false, code: 'busy' });
  await db().query(expire, [stored().id]);
  expect(await found()).toMatchObject({ status: 'in_doubt', last_error: null });
  expect(await forward(channel.url, { request: await found() })).toEqual({ ok: true });
  expect(channel.bodies[0]).toContain('sent again');
});

test('a request that may have arrived stays in doubt if another attempt fails, and one that arrived stays sent', async () => {
  const channel = await teamChannel(
    (response) => response.destroy(),
    respondWith(404),
    respondWith(200),
    respondWith(404),
  );
  for (const status of ['in_doubt', 'in_doubt', 'sent', 'sent']) {
    await forward(channel.url, { request: await found(), mayRepeat: true });
    expect(await found()).toMatchObject({ status });
  }
  expect(await found()).toMatchObject({ last_error: { code: 'rejected', status: 404 }, sent_at: expect.any(String) });
});

describe('a database that becomes unavailable', () => {
  const without = (name: string, instead: () => Promise<never>): Db => ({
    query: (statement, values) => (statement.name === name ? instead() : db().query(statement, values)),
  });

  test('nothing is posted if the claim fails', async () => {
    const channel = await teamChannel(respondWith(200));
    const away = without('demo_requests.claim', () => Promise.reject(new Error('away')));
    await expect(forward(channel.url, { db: away })).rejects.toThrow('away');
    expect(channel.bodies).toEqual([]);
  });

  test('if recording the outcome fails, the result is still correct, the error is reported, and the request is in doubt', async () => {
    const channel = await teamChannel(respondWith(200));
    const errors: unknown[] = [];
    const away = without('demo_requests.note', () => Promise.reject(new Error('away')));
    expect(await forward(channel.url, { db: away, onError: (error) => errors.push(error) })).toEqual({ ok: true });
    expect(errors).toMatchObject([{ message: 'away' }]);
    expect(await found()).toMatchObject({ status: 'sending', attempts: 1 });
  });

  test('the result does not wait for a database that never answers', async () => {
    const channel = await teamChannel(respondWith(404));
    const mute = without('demo_requests.note', () => new Promise(() => undefined));
    const beganMs = performance.now();
    expect(await forward(channel.url, { db: mute })).toMatchObject({ ok: false, code: 'rejected' });
    expect(performance.now() - beganMs).toBeLessThan(60_000);
  });
});
