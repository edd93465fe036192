import { createServer } from 'node:http';
import { type Channel, createChannel } from '@relata/channel';
import { teamChannel, until } from '@relata/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ada, respondWith, closedPort, muteServer, silence, setUpRequest } from './demo-requests.harness.ts';

const { stored, replace, found, forward } = setUpRequest();

describe('the posted form', () => {
  test('a request is posted once with its organization and all of its fields, and is then sent', async () => {
    const channel = await teamChannel(respondWith(200));
    expect(await forward(channel.url)).toEqual({ ok: true });
    expect(channel.bodies).toHaveLength(1);
    expect(channel.bodies[0]).toMatch(/Organization[^}]*\},\{[^}]*"Acme"/);
    for (const value of [ada.name, ada.work_email, ada.company!, 'We would like to see\\nthe pipeline view.'])
      expect(channel.bodies[0]).toContain(value);
    expect(channel.bodies[0]).not.toMatch(/again|Shortened/);
    expect(await found()).toMatchObject({ status: 'sent', attempts: 1, last_error: null, sent_at: expect.any(String) });
  });

  test('a message that is too long is cut, and the post has the command that shows all of it', async () => {
    await replace({ ...ada, message: 'x'.repeat(100_000) });
    const channel = await teamChannel(respondWith(200));
    await forward(channel.url);
    expect(channel.bodies[0]!.length).toBeLessThan(20_000);
    expect(channel.bodies[0]).toContain(`relata demo-requests show ${stored().id}`);
  });
});

describe('another post is made', () => {
  test.each([500, 503, 429])(
    'another post is made after a %i, since the message certainly did not arrive',
    async (status) => {
      const channel = await teamChannel(respondWith(status), respondWith(status), respondWith(200));
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
    const channel = await teamChannel(respondWith(429, { 'retry-after': '1' }), respondWith(200));
    const beganMs = performance.now();
    expect(await forward(channel.url)).toEqual({ ok: true });
    expect(performance.now() - beganMs).toBeGreaterThan(990);
  });

  test('a request is posted at most five times', async () => {
    const channel = await teamChannel(respondWith(503));
    expect(await forward(channel.url, { deadlineMs: 60_000 })).toMatchObject({ ok: false, code: 'rejected' });
    expect(channel.bodies).toHaveLength(5);
    const last_error = { code: 'rejected', message: 'The channel answered with status 503.', status: 503 };
    expect(await found()).toMatchObject({ status: 'failed', attempts: 1, last_error, sent_at: null });
  });
});

describe('no other post is made', () => {
  test.each([400, 403, 404, 410])('no other post is made after a %i', async (status) => {
    const channel = await teamChannel(respondWith(status));
    const forwarded = await forward(channel.url);
    expect(forwarded).toEqual({ ok: false, code: 'rejected', message: `The channel answered with status ${status}.` });
    expect(channel.bodies).toHaveLength(1);
    expect(await found()).toMatchObject({ status: 'failed', last_error: { code: 'rejected', status } });
  });

  test('no other post is made if the channel asks for a longer wait than the deadline', async () => {
    const channel = await teamChannel(respondWith(429, { 'retry-after': '60' }));
    const beganMs = performance.now();
    expect(await forward(channel.url)).toMatchObject({ ok: false, code: 'rejected' });
    expect(performance.now() - beganMs).toBeLessThan(40_000);
    expect(channel.bodies).toHaveLength(1);
  });

  test('no other post is made after a silence, since the message may have arrived; the deadline covers all posts together', async () => {
    // If the machine stalls, the deadline may end before the second post.
    await until(async () => {
      await replace();
      const channel = await teamChannel(respondWith(503), silence);
      const beganMs = performance.now();
      const forwarded = await forward(channel.url, { deadlineMs: 700 });
      expect(forwarded).toEqual({ ok: false, code: 'timeout', message: 'The channel did not answer in time.' });
      expect(performance.now() - beganMs).toBeLessThan(4_000);
      expect(channel.bodies).toHaveLength(2);
      expect(await found()).toMatchObject({ status: 'in_doubt', last_error: { code: 'timeout' } });
    });
  });

  test('no other post is made if the connection broke after the message was sent', async () => {
    const channel = await teamChannel((response) => response.destroy());
    expect(await forward(channel.url)).toMatchObject({ ok: false, code: 'connection' });
    expect(channel.bodies).toHaveLength(1);
    expect(await found()).toMatchObject({ status: 'in_doubt' });
  });
});

test('a connection that was never established leaves no doubt, however long it took', async () => {
  const url = `https://127.0.0.1:${await muteServer()}/s3cret`;
  const forwarded = await forward(url, { deadlineMs: 300 });
  expect(forwarded).toEqual({ ok: false, code: 'timeout', message: 'The channel could not be reached in time.' });
  expect(await found()).toMatchObject({ status: 'failed' });
});

test('without a channel a request fails as not configured', async () => {
  expect(await forward(undefined)).toMatchObject({ ok: false, code: 'not_configured' });
  expect(await found()).toMatchObject({ status: 'failed', last_error: { code: 'not_configured' } });
});

test('neither the answer nor the stored request contains the address of the channel', async () => {
  for (const url of [
    'http://127.0.0.1:1/s3cret',
    (await teamChannel(respondWith(500))).url,
    'http://s3cret.invalid/',
  ]) {
    await replace();
    const forwarded = await forward(url, { deadlineMs: 300 });
    expect(forwarded.ok).toBe(false);
    expect(JSON.stringify([forwarded, await found()])).not.toMatch(/s3cret|127\.0\.0\.1|invalid\//);
  }
});
