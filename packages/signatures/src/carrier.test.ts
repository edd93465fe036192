import { describe, expect, test } from 'vitest';
import { findSignatureKind, SignatureSpec } from './kinds.ts';
import { signPost } from './sign.ts';

const secret = 'a-secret-that-is-repeated';
const url = 'https://crm.example/webhooks/trigger/1?a=1';
const encoded = (text: string) => Buffer.from(text).toString('base64');

const specs: Record<string, SignatureSpec> = {
  basic: { kind: 'basic', options: { user: 'ada' } },
  bearer: { kind: 'bearer' },
  header: { kind: 'header', options: { header: 'x-acme-key' } },
  query: { kind: 'query', options: { parameter: 'key' } },
};

interface Sent {
  headers?: Record<string, string>;
  again?: Record<string, string>;
  url?: string;
}

function readBy(spec: SignatureSpec, { headers = {}, again = {}, url: to = '/webhooks/trigger/1' }: Sent) {
  const kind = findSignatureKind(spec);
  if (kind.proof !== 'secret') throw new TypeError('This kind signs.');
  return kind.read({ rawHeaders: [...Object.entries(headers), ...Object.entries(again)].flat(), url: to });
}

describe.for(Object.entries(specs))('%s', ([name, spec]) => {
  test('S.14: reads what such a sender sends, whatever the case of its header', () => {
    const sent = signPost(findSignatureKind(spec), { secret, url, body: Buffer.of(), id: '', nowMs: 0 });
    const upper = Object.fromEntries(Object.entries(sent.headers).map(([key, value]) => [key.toUpperCase(), value]));
    expect(readBy(spec, { headers: upper, url: sent.url })).toEqual({ secret });
    expect(sent.url.startsWith(url)).toBe(true);
    expect(sent.url.includes(secret)).toBe(name === 'query');
  });

  test('S.14: reads nothing from a repeated header or parameter, or from a request without one', () => {
    const sent = signPost(findSignatureKind(spec), { secret, url, body: Buffer.of(), id: '', nowMs: 0 });
    const twice =
      name === 'query' ? { url: `${sent.url}&key=${secret}` } : { headers: sent.headers, again: sent.headers };
    expect(readBy(spec, twice)).toEqual({ fault: 'invalid' });
    expect(readBy(spec, {})).toEqual({ fault: 'missing' });
  });
});

test.for([
  [encoded(`bob:${secret}`), { fault: 'invalid' }],
  [encoded(secret), { fault: 'invalid' }],
  ['not base64 at all', { fault: 'missing' }],
  ['%%%', { fault: 'invalid' }],
  [encoded(`ada:${secret}:more`), { secret: `${secret}:more` }],
] as const)('the Basic credentials %s are read as %j', ([credentials, expected]) => {
  expect(readBy(specs['basic']!, { headers: { Authorization: `Basic ${credentials}` } })).toEqual(expected);
});

test('a secret with another scheme in Authorization is not read', () => {
  const bearing = { headers: { Authorization: `Bearer ${secret}` } };
  expect(readBy(specs['basic']!, bearing)).toEqual({ fault: 'missing' });
  const basic = { headers: { Authorization: `Basic ${encoded(`ada:${secret}`)}` } };
  expect(readBy(specs['bearer']!, basic)).toEqual({ fault: 'missing' });
});

test.for([
  [{ kind: 'header' }, 'header'],
  [{ kind: 'header', options: { header: 'Content-Type' } }, 'header'],
  [{ kind: 'query' }, 'parameter'],
  [{ kind: 'query', options: { parameter: 'a&b' } }, 'parameter'],
  [{ kind: 'basic', options: { user: 'a:b' } }, 'user'],
  [{ kind: 'bearer', options: {} }, undefined],
] as const)('%j is refused', ([spec, at]) => {
  expect(SignatureSpec.safeParse(spec).error?.issues.map(({ path }) => path.at(-1))).toEqual([at]);
});

test('a user name is optional', () => {
  expect(SignatureSpec.parse({ kind: 'basic' })).toEqual({ kind: 'basic', options: { user: 'relata' } });
});
