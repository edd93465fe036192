import { buffer } from 'node:stream/consumers';
import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { outboundWith, serve } from '../outbound.harness.ts';

const ask = outboundWith('127.0.0.0/8');

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Starts a server that records each request and redirects `/from`. */
async function mirror(redirect?: { status: number; location: string }) {
  const seen: Seen[] = [];
  const stranger = await serve((request, response) => {
    void buffer(request).then((bytes) => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body: bytes.toString() });
      if (redirect && request.url === '/from') response.writeHead(redirect.status, { location: redirect.location });
      response.end();
    });
  });
  return { seen, url: stranger.url };
}

test('every request has headers for its sender, its step and the accepted content types', async () => {
  const { seen, url } = await mirror();
  await ask(`${url}/path?q=1#fragment`);
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/path?q=1', body: '' });
  expect(seen[0]!.headers).toEqual({
    accept: 'application/json, */*;q=0.5',
    'accept-encoding': 'gzip, deflate, br',
    connection: 'close',
    host: new URL(url).host,
    'idempotency-key': 'run-1:step-1',
    'user-agent': 'Relata/0.1',
  });
});

test('headers of the workflow replace ours, whatever their case', async () => {
  const { seen, url } = await mirror();
  const headers = { ACCEPT: 'text/csv', Authorization: 'Bearer x', 'User-Agent': 'Mine', 'content-type': 'text/x' };
  await ask(url, { method: 'post', headers, body: 'x' });
  expect(seen[0]!.headers).toMatchObject({
    accept: 'text/csv',
    authorization: 'Bearer x',
    'user-agent': 'Mine',
    'content-type': 'text/x',
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s sends JSON and text with their length', async (method) => {
  const { seen, url } = await mirror();
  await ask(url, { method, json: { a: 'ü' } });
  await ask(url, { method, json: null });
  await ask(url, { method, body: 'ü' });
  expect(seen.map(({ body, headers }) => [body, headers['content-type'], headers['content-length']])).toEqual([
    ['{"a":"ü"}', 'application/json', '10'],
    ['null', 'application/json', '4'],
    ['ü', 'text/plain;charset=UTF-8', '2'],
  ]);
});

test('a redirect within an origin is followed with method, body and headers', async () => {
  const { seen, url } = await mirror({ status: 307, location: '/to' });
  await ask(`${url}/from`, { method: 'PUT', json: 1, headers: { authorization: 'Bearer x' } });
  expect(seen[1]).toMatchObject({ method: 'PUT', url: '/to', body: '1' });
  expect(seen[1]!.headers).toMatchObject({ authorization: 'Bearer x', 'idempotency-key': 'run-1:step-1' });
});

test('a redirect to another origin sends no key', async () => {
  const target = await mirror();
  const { url } = await mirror({ status: 302, location: target.url });
  const headers = { authorization: 'Bearer x', cookie: 'a=b', 'x-api-key': 'x' };
  await ask(`${url}/from`, { method: 'POST', json: 1, headers });
  expect(target.seen).toMatchObject([{ method: 'GET', body: '' }]);
  expect(Object.keys(target.seen[0]!.headers).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});

test('five redirects are followed, but not a sixth', async () => {
  let hops = 0;
  const stranger = await serve((request, response) => {
    hops += 1;
    const left = Number(new URL(request.url!, 'http://x').searchParams.get('left'));
    if (left === 0) response.end('there');
    else response.writeHead(302, { location: `/?left=${left - 1}` }).end('x'.repeat(1_000_000));
  });
  expect(await ask(`${stranger.url}/?left=5`)).toMatchObject({ body: 'there' });
  hops = 0;
  await expect(ask(`${stranger.url}/?left=1000`)).rejects.toMatchObject({
    code: 'too_many_redirects',
    isRetryable: false,
  });
  expect(hops).toBe(6);
});

test.each([
  ['', 'invalid_url'],
  ['/relative', 'invalid_url'],
  ['ftp://example.com/', 'invalid_url'],
  ['file:///etc/passwd', 'invalid_url'],
  ['http://user:s3cret@example.com/', 'invalid_url'],
  ['http://s3cret@example.com/', 'invalid_url'],
  [`http://example.com/${'x'.repeat(9_000)}`, 'invalid_url'],
])('the URL %s is refused without being quoted', async (url, code) => {
  await expect(ask(url)).rejects.toMatchObject({
    code,
    isRetryable: false,
    message: expect.not.stringMatching(/s3cret|passwd/),
  });
});

const cycle: Record<string, unknown> = {};
cycle['itself'] = cycle;

test.each([
  ['an unknown method', { method: 'BREW' }],
  ['a method with a line break', { method: 'GET / HTTP/1.1\r\n' }],
  ['a tunnel', { method: 'CONNECT' }],
  ['a body with GET', { body: 'x' }],
  ['both bodies', { method: 'POST', json: 1, body: 'x' }],
  ['a cycle', { method: 'POST', json: cycle }],
  ['a big integer', { method: 'POST', json: { n: 1n } }],
  ['a body over 1 MiB', { method: 'POST', body: 'ü'.repeat(524_289) }],
  ['a body that is not text', { method: 'POST', body: 5 as unknown as string }],
  ['headers that are not an object', { headers: ['x'] as unknown as Record<string, string> }],
  ['a header that is a list', { headers: { 'x-a': ['s3cret'] as unknown as string } }],
  ['a line break in a header', { headers: { 'x-a': 'b\r\nx-c: s3cret' } }],
  ['an invalid header name', { headers: { 'x a': 's3cret' } }],
  ['an empty header name', { headers: { '': 's3cret' } }],
  ['a header beyond Latin-1', { headers: { 'x-a': 's3cret €' } }],
  ['a line break in the idempotency key', { idempotencyKey: 'a\nb' }],
  ['another host', { headers: { Host: 'internal.example' } }],
  ['its own Transfer-Encoding', { headers: { 'Transfer-Encoding': 'chunked' } }],
  ['its own Content-Length', { headers: { 'content-length': '3' } }],
  ['its own Idempotency-Key', { headers: { 'Idempotency-Key': 's3cret' } }],
  ['too many headers', { headers: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, ''])) }],
  ['too large headers', { headers: { 'x-a': 'x'.repeat(16_384) } }],
])('%s is an invalid request', async (_what, request) => {
  await expect(ask('http://127.0.0.1:1/', request)).rejects.toMatchObject({
    code: 'invalid_request',
    isRetryable: false,
    message: expect.not.stringContaining('s3cret'),
  });
});

test('numbers and booleans from expressions are sent in headers', async () => {
  const { seen, url } = await mirror();
  await ask(url, { headers: { 'x-n': 1, 'x-b': true } as unknown as Record<string, string> });
  expect(seen[0]!.headers).toMatchObject({ 'x-n': '1', 'x-b': 'true' });
});

test('a body of 1 MiB is sent', async () => {
  const { seen, url } = await mirror();
  await ask(url, { method: 'POST', body: 'x'.repeat(1_048_576) });
  expect(seen[0]!.body.length).toBe(1_048_576);
});
