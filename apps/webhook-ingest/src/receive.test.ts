import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post, type Post, startTriggered } from './webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startTriggered>>;
beforeAll(async () => void (receiver = await startTriggered()));
afterAll(() => receiver[Symbol.asyncDispose]());

const send = (body: Post['body'], more: Post = {}) =>
  post(receiver.url, receiver.trigger.id, {
    secret: receiver.trigger.secret,
    ...(body !== undefined && { body }),
    ...more,
  });

const accepted = { status: 202, body: { received: true } };
const refused = (status: number, error: string) => ({ status, body: { error } });

test('every response of the receiver forbids caching', async () => {
  const responses = [
    await send('{}'),
    await send('['),
    await send('{}', { secret: null }),
    await send(undefined, { method: 'GET' }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([202, 400, 401, 405]);
  for (const { headers } of responses) expect(headers.get('cache-control')).toBe('private, no-store');
  expect(responses[0]!.headers.get('vary')).toBe('X-Webhook-Secret');
});

describe('the trigger and its secret', () => {
  test('accepts a delivery with the secret, and stores it byte for byte with its headers', async () => {
    const body = '{ "a" : 1.0, "b":"\\u0000\\ud800",\n"c": 12345678901234567890 }';
    expect(await send(body, { headers: { 'x-event': 'form', authorization: 'Bearer x' } })).toMatchObject(accepted);
    const stored = (await receiver.deliveries()).at(-1)!;
    expect(stored).toMatchObject({ trigger_id: receiver.trigger.id, headers: { 'x-event': 'form' } });
    expect(stored.body.toString()).toBe(body);
    expect(JSON.stringify(stored.headers)).not.toMatch(/relata_whs|Bearer/);
  });

  test('answers 404 for a malformed, unknown or disabled id, even if the request has other faults', async () => {
    const responses = await Promise.all(
      ['x', randomUUID(), `${receiver.trigger.id}0`, '%00', '%zz'].map((id) => post(receiver.url, id, { body: '[' })),
    );
    for (const response of responses) expect(response).toMatchObject(refused(404, 'webhook trigger not found'));
  });

  test('answers 401 for a secret that is missing, wrong or of another trigger', async () => {
    const other = await receiver.createUniqueTrigger();
    for (const secret of [null, 'x', `${receiver.trigger.secret}0`, other.secret])
      expect(await send('[', { secret })).toMatchObject(refused(401, 'missing or invalid webhook secret'));
  });

  test('answers 405 with Allow for any method but POST', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await post(receiver.url, receiver.trigger.id, { method });
      expect(response).toMatchObject(refused(405, 'method not allowed'));
      expect(response.headers.get('allow')).toBe('POST');
    }
  });

  test('accepts an id in capitals', async () => {
    expect(
      await post(receiver.url, receiver.trigger.id.toUpperCase(), { secret: receiver.trigger.secret }),
    ).toMatchObject(accepted);
  });
});

describe('the body', () => {
  const invalid = refused(400, 'request body must be valid JSON');

  test('reads an empty body as an empty object', async () => {
    expect(await send(undefined)).toMatchObject(accepted);
    expect(await send('')).toMatchObject(accepted);
    for (const encoding of ['gzip', 'deflate', 'br'])
      expect(await send('', { headers: { 'content-encoding': encoding } }), encoding).toMatchObject(accepted);
  });

  test('answers 400 for a body that is not a JSON object in UTF-8', async () => {
    const bodies = ['[]', '1', 'null', '"x"', '{', ' ', '{"a":1}x', "{'a':1}", '\ufeff{}'];
    for (const body of bodies) expect(await send(body), body).toMatchObject(invalid);
    expect(await send(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toMatchObject(invalid);
  });

  test('accepts a JSON object with any Content-Type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
      expect(await send('{"a":1}', { headers: { 'content-type': type } })).toMatchObject(accepted);
  });

  test('accepts a body of 524,288 bytes, and answers 413 for a body with one more byte', async () => {
    const ofBytes = (count: number) => `{"a":"${'x'.repeat(count - 8)}"}`;
    expect(await send(ofBytes(524_288))).toMatchObject(accepted);
    expect(await send(ofBytes(524_289))).toMatchObject(refused(413, 'payload too large'));
  });

  test('limits the decompressed size of a body, in every accepted encoding', async () => {
    const ofBytes = (count: number) => Buffer.from(`{"a":"${'x'.repeat(count - 8)}"}`);
    const encodings = [
      ['gzip', gzipSync],
      ['x-gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['GZIP, identity', gzipSync],
    ] as const;
    for (const [encoding, pack] of encodings) {
      const headers = { 'content-encoding': encoding };
      const [fits, tooLarge] = [ofBytes(524_288), ofBytes(524_289)].map((bytes) => new Uint8Array(pack(bytes)));
      expect(await send(fits!, { headers })).toMatchObject(accepted);
      expect(await send(tooLarge!, { headers })).toMatchObject(refused(413, 'payload too large'));
      expect(await send('{"a":1}', { headers })).toMatchObject(invalid);
    }
    for (const encoding of ['zstd', 'gzip, gzip', 'constructor'])
      expect(await send('{}', { headers: { 'content-encoding': encoding } })).toMatchObject(invalid);
    expect((await receiver.deliveries()).at(-1)!.body).toEqual(ofBytes(524_288));
  });

  test('limits the compressed size of a body as well, even if its decompressed size is small', async () => {
    const empty = gzipSync('');
    const many = Buffer.concat([gzipSync('{"a":1}'), ...Array.from({ length: 40_000 }, () => empty)]);
    const headers = { 'content-encoding': 'gzip' };
    expect(await send(new Uint8Array(many), { headers })).toMatchObject(refused(413, 'payload too large'));
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(200_000_000, ' ')));
    expect(await send(bomb, { headers })).toMatchObject(refused(413, 'payload too large'));
  });

  test('accepts a body with 1,000 keys and 20 levels, and answers 400 for one more key or level', async () => {
    const keys = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i])));
    const levels = (count: number) => `{"a":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`;
    for (const body of [keys(1_000), levels(20)]) expect(await send(body)).toMatchObject(accepted);
    for (const body of [keys(1_001), levels(21)]) expect(await send(body)).toMatchObject({ status: 400 });
    expect(await send(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toMatchObject({ status: 400 });
  });
});

describe('repeats', () => {
  test('stores deliveries with the same repeat key on a trigger once, even if they arrive at the same time', async () => {
    const before = (await receiver.deliveries()).length;
    for (const name of ['idempotency-key', 'webhook-id']) {
      const headers = { [name]: randomUUID() };
      const responses = await Promise.all(Array.from({ length: 40 }, (_, i) => send(`{"i":${i}}`, { headers })));
      for (const response of responses) expect(response).toMatchObject(accepted);
      expect(await send('{"late":true}', { headers })).toMatchObject(accepted);
    }
    expect(await receiver.deliveries()).toHaveLength(before + 2);
  });

  test('a repeat key of one trigger has no effect on another trigger', async () => {
    const before = (await receiver.deliveries()).length;
    const other = await receiver.createUniqueTrigger();
    const headers = { 'idempotency-key': 'x'.repeat(2_000) };
    await send('{}', { headers });
    await post(receiver.url, other.trigger.id, { secret: other.secret, body: '{}', headers });
    expect(await receiver.deliveries()).toHaveLength(before + 2);
  });

  test('many repeat keys in many orders never deadlock', async () => {
    const before = (await receiver.deliveries()).length;
    const keys = Array.from({ length: 60 }, () => randomUUID());
    const shuffled = [0, 1, 2, 3].flatMap(() => keys.toSorted(() => Math.random() - 0.5));
    const responses = await Promise.all(shuffled.map((key) => send('{}', { headers: { 'idempotency-key': key } })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await receiver.deliveries()).toHaveLength(before + 60);
  });
});
