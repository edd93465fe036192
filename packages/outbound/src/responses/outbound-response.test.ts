import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { outboundWith, serve } from '../outbound.harness.ts';

const ask = outboundWith('127.0.0.1');

/** Starts a server that answers every request with the same response, and returns its URL. */
async function answering(status: number, headers: Record<string, string | string[]>, body?: string | Buffer) {
  const stranger = await serve((_request, response) => response.writeHead(status, headers).end(body));
  return stranger.url;
}

const json = { 'content-type': 'application/json' };

test.each(['application/json', 'Application/JSON; charset=utf-8', 'application/problem+json', 'application/json ;x=y'])(
  '%s is parsed',
  async (type) => {
    const url = await answering(201, { 'content-type': type }, '{"a":[1,null,"ü"]}');
    const { status, json: value, ...rest } = await ask(url);
    expect({ status, value }).toEqual({ status: 201, value: { a: [1, null, 'ü'] } });
    expect(rest).not.toHaveProperty('body');
  },
);

test.each(['text/html', 'application/jsonp', 'text/plain; x=application/json', ''])(
  'a body with the content type "%s" is text',
  async (type) => {
    const { body, ...rest } = await ask(await answering(200, { 'content-type': type }, '{"a":1}'));
    expect(body).toBe('{"a":1}');
    expect(rest).not.toHaveProperty('json');
  },
);

test('a body that is declared as JSON but invalid stays text, since the server has done its work', async () => {
  expect(await ask(await answering(200, json, '<html>'))).toMatchObject({ status: 200, body: '<html>' });
  expect(await ask(await answering(200, json, ''))).toMatchObject({ status: 200, body: '' });
});

test('JSON nested too deeply to be serialized again stays text', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(await ask(await answering(200, json, deep))).toMatchObject({ body: deep });
  const fine = '['.repeat(90) + ']'.repeat(90);
  expect(JSON.stringify((await ask(await answering(200, json, fine))).json)).toBe(fine);
});

test('keys and headers named like a prototype are data', async () => {
  const response = await ask(await answering(200, { ...json, ['__proto__']: 'x' }, '{"__proto__":{"polluted":true}}'));
  expect(Object.keys(response.json as object)).toEqual(['__proto__']);
  expect(response.headers['polluted']).toBeUndefined();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('a whole number beyond 2^53 is a string with all its digits, and other numbers stay numbers', async () => {
  const text = '{"id":820982911946154508,"below":[-9007199254740993],"safe":9007199254740991,"rate":1e20,"part":0.5}';
  expect((await ask(await answering(200, json, text))).json).toEqual({
    id: '820982911946154508',
    below: ['-9007199254740993'],
    safe: 9007199254740991,
    rate: 1e20,
    part: 0.5,
  });
  expect((await ask(await answering(200, json, '9007199254740993'))).json).toBe('9007199254740993');
});

test('bytes that are not UTF-8 are replaced', async () => {
  const { body } = await ask(await answering(200, {}, Buffer.from([0x61, 0xff, 0x62])));
  expect(body).toBe('a\ufffdb');
});

test.each([
  ['gzip', gzipSync('packed')],
  ['x-gzip', gzipSync('packed')],
  ['GZIP', gzipSync('packed')],
  ['deflate', deflateSync('packed')],
  ['deflate', deflateRawSync('packed')],
  ['br', brotliCompressSync('packed')],
  ['identity', 'packed'],
  ['gzip', ''],
])('a body compressed with %s is decompressed (%#)', async (encoding, bytes) => {
  const { body } = await ask(await answering(200, { 'content-encoding': encoding }, bytes));
  expect(body).toBe(bytes === '' ? '' : 'packed');
});

test.each([
  ['gzip', Buffer.from('not packed')],
  ['gzip', gzipSync('x'.repeat(1_000)).subarray(0, 20)],
  ['gzip, gzip', gzipSync(gzipSync('twice'))],
  ['zstd', Buffer.from('never asked for')],
  ['constructor', Buffer.from('no such thing')],
])('a body that cannot be decompressed as %s is reported (%#)', async (encoding, bytes) => {
  const url = await answering(200, { 'content-encoding': encoding }, bytes);
  await expect(ask(url)).rejects.toMatchObject({ code: 'bad_response', isRetryable: false });
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(50_000_000))],
  ['deflate', deflateSync(Buffer.alloc(50_000_000))],
  ['br', brotliCompressSync(Buffer.alloc(50_000_000))],
])('a bomb in %s is decompressed only up to the limit', async (encoding, bomb) => {
  expect(bomb.length).toBeLessThan(262_144);
  const url = await answering(200, { 'content-encoding': encoding }, bomb);
  const before = process.memoryUsage().arrayBuffers;
  await expect(ask(url)).rejects.toMatchObject({ code: 'too_large', isRetryable: false });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
});

test('256 KiB are accepted, one more byte is not, and the rest of a larger body is not received', async () => {
  const whole = await ask(await answering(200, {}, 'x'.repeat(262_144)));
  expect(whole.body!.length).toBe(262_144);
  await expect(ask(await answering(200, {}, 'x'.repeat(262_145)))).rejects.toMatchObject({ code: 'too_large' });
  const closed = Promise.withResolvers<void>();
  const endless = await serve((_request, response) => {
    response.on('close', closed.resolve);
    pour(response);
  });
  await expect(ask(endless.url)).rejects.toMatchObject({ code: 'too_large' });
  await closed.promise;
});

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue;
  response.once('drain', () => pour(response));
}

test.each([
  ['HEAD', 200],
  ['GET', 204],
  ['GET', 304],
])('a response to %s with status %i has no body, whatever its headers promise', async (method, status) => {
  const stranger = await serve((_request, response) => {
    response.writeHead(status, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end();
  });
  expect(await ask(stranger.url, { method })).toMatchObject({ status, body: '' });
});

test('headers have lower-case names, repeated ones are joined, and at most 100 are kept', async () => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-${i}`, 'v']));
  const { headers } = await ask(await answering(200, { 'Set-Cookie': ['a=1', 'b=2'], ETag: 'e', ...many }));
  expect(headers).toMatchObject({ 'set-cookie': 'a=1, b=2', etag: 'e', 'x-0': 'v' });
  expect(Object.keys(headers).length).toBe(100);
});

test('a redirect without a location is returned as the result', async () => {
  expect(await ask(await answering(302, {}, 'over there'))).toMatchObject({ status: 302, body: 'over there' });
});

test.each([400, 401, 404, 409, 410, 422, 451])('the status %i is not retryable', async (status) => {
  await expect(ask(await answering(status, { 'retry-after': '1' }))).rejects.toMatchObject({
    code: 'bad_status',
    status,
    isRetryable: false,
    retryAfterMs: undefined,
    message: expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+ answered with status ${status}\\.$`)),
  });
});

test.each([408, 425, 429, 500, 502, 503, 599])('the status %i is retryable', async (status) => {
  const failure = { code: 'bad_status', status, isRetryable: true };
  await expect(ask(await answering(status, {}))).rejects.toMatchObject(failure);
});

test.each([
  ['0', 0],
  ['120', 120_000],
  ['86400', 3_600_000],
  [new Date(Date.now() + 86_400_000).toUTCString(), 3_600_000],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['soon', undefined],
])('Retry-After %s is a wait of %s ms', async (header, retryAfterMs) => {
  await expect(ask(await answering(503, { 'retry-after': header }))).rejects.toMatchObject({ retryAfterMs });
});

test('the beginning of an error is kept for the operator, without control characters', async () => {
  const url = await answering(422, json, `{"error":\n"bad\u0000"} ${'😀'.repeat(100_000)}`);
  const error = (await ask(url).catch((reason: unknown) => reason)) as { excerpt: string };
  expect(error.excerpt).toMatch(/^\{"error": "bad "\} 😀/);
  expect(error.excerpt.length).toBeGreaterThan(990);
  expect(error.excerpt.length).toBeLessThanOrEqual(1_000);
  expect(error.excerpt.isWellFormed()).toBe(true);
});

test('the body of an error response is decompressed, even if it is cut', async () => {
  const noise = Array.from({ length: 20_000 }, (_, i) => `line ${Math.imul(i, 2_654_435_761)}`).join('\n');
  const packed = gzipSync(`why: ${noise}`);
  expect(packed.length).toBeGreaterThan(8_192);
  const url = await answering(400, { 'content-encoding': 'gzip' }, packed);
  await expect(ask(url)).rejects.toMatchObject({ excerpt: expect.stringMatching(/^why: line 0 /) });
});

test('a response of more than 64 KB is parsed only once its turn comes, however long that takes', async () => {
  const [small, large] = [`"${'x'.repeat(65_534)}"`, `"${'x'.repeat(65_535)}"`];
  let turns = 0;
  const turn = Promise.withResolvers<void>();
  const beforeLarge = () => (turns++, turn.promise);
  await ask(await answering(200, json, small), { beforeLarge });
  expect(turns).toBe(0);
  const url = await answering(200, json, large);
  // Tries again, since a busy machine may not read the response within its timeout.
  const asked = await until(async () => {
    turns = 0;
    const asking = ask(url, { beforeLarge, timeoutMs: 200 });
    asking.catch(() => undefined);
    const isFirst = await Promise.race([
      asking.then(() => 'answer'),
      new Promise((end) => setTimeout(end, 300, 'turn')),
    ]);
    expect([isFirst, turns]).toEqual(['turn', 1]);
    return { asking };
  });
  turn.resolve();
  expect(await asked.asking).toMatchObject({ status: 200 });
});
