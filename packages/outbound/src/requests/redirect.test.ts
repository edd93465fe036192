import { Redaction } from '@relata/secrets';
import { expect, test } from 'vitest';
import { nextHop } from './redirect.ts';
import type { RequestHop } from './request-hop.ts';

const hop = (method: string, url = 'https://a.example/x?y=1'): RequestHop => ({
  method,
  url: new URL(url),
  headers: new Map([
    ['accept', '*/*'],
    ['authorization', 'Bearer s3cret'],
    ['cookie', 'a=s3cret'],
    ['x-api-key', 's3cret'],
    ['idempotency-key', 'run:step'],
    ['content-type', 'application/json'],
  ]),
  body: method === 'GET' || method === 'HEAD' ? undefined : Buffer.from('{}'),
  redaction: new Redaction(),
});

test.each([
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [303, 'POST', 'GET'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [301, 'PUT', 'PUT'],
  [302, 'DELETE', 'DELETE'],
  [307, 'POST', 'POST'],
  [308, 'PATCH', 'PATCH'],
])('status %i turns %s into %s, and a GET has no body', (status, method, expected) => {
  const next = nextHop(hop(method), status, '/z')!;
  expect(next.method).toBe(expected);
  expect(next.url.href).toBe('https://a.example/z');
  expect(next.body === undefined).toBe(expected === 'GET' || expected === 'HEAD');
  expect(next.headers.has('content-type')).toBe(expected !== 'GET');
});

test('a redirect within an origin keeps every header', () => {
  expect(nextHop(hop('POST'), 307, 'https://a.example:443/z')!.headers).toEqual(hop('POST').headers);
});

test.each(['https://b.example/', 'https://a.example:8443/', '//b.example/'])(
  'another origin, %s, receives no secret',
  (location) => {
    expect([...nextHop(hop('POST'), 307, location)!.headers.keys()]).toEqual(['accept', 'content-type']);
  },
);

test('secrets are not sent from http to https, since that is another origin', () => {
  const next = nextHop(hop('POST', 'http://a.example/'), 308, 'https://a.example/')!;
  expect(next.headers.has('authorization')).toBe(false);
});

test.each([
  ['http://a.example/', 'refused_redirect'],
  ['ftp://a.example/', 'invalid_url'],
  ['file:///etc/passwd', 'invalid_url'],
  ['https://user:s3cret@a.example/', 'invalid_url'],
  ['https://', 'invalid_url'],
])('a redirect to %s is refused', (location, code) => {
  expect(() => nextHop(hop('GET'), 302, location)).toThrow(expect.objectContaining({ code, isRetryable: false }));
});

test.each([
  [302, undefined],
  [300, '/z'],
  [304, '/z'],
  [200, '/z'],
  [404, '/z'],
])('status %i with the location %s is not followed', (status, location) => {
  expect(nextHop(hop('GET'), status, location)).toBeUndefined();
});

test('a secret is not sent to another origin, neither in a header allowed for any origin nor in a body', () => {
  const redaction = new Redaction(['s"3cret']);
  const get: RequestHop = {
    ...hop('GET'),
    redaction,
    headers: new Map([
      ['user-agent', 'x s"3cret'],
      ['accept', '*/*'],
    ]),
  };
  expect([...nextHop(get, 302, 'https://b.example/')!.headers.keys()]).toEqual(['accept']);
  expect([...nextHop(get, 302, '/other')!.headers.keys()]).toEqual(['user-agent', 'accept']);
  const post: RequestHop = { ...hop('POST'), redaction, body: Buffer.from(JSON.stringify({ key: 's"3cret' })) };
  expect(() => nextHop(post, 307, 'https://b.example/')).toThrow(
    'redirects to another origin, and the body has a secret',
  );
  expect(nextHop(post, 307, '/other')!.body).toBe(post.body);
  expect(nextHop(post, 303, 'https://b.example/')!.body).toBeUndefined();
});
