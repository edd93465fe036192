import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, names } from '../expression.harness.ts';
import { orThrow } from '../expression.error.ts';
import { readTemplate } from './template.ts';

/** Returns a URL with its expressions evaluated for a payload. */
function fill(url: string, payload: unknown): string {
  const template = orThrow(readTemplate({ url }, names, [], { url: { isUrl: true } }));
  return (template.evaluate({ payload }) as { url: string }).url;
}

const person = 'https://api.example.com/people/${{ payload }}/score';

describe('a value in a URL', () => {
  test.for([
    ['../../admin/delete?all=1#', '..%2F..%2Fadmin%2Fdelete%3Fall%3D1%23'],
    ['%2e%2e/%2e%2e/admin#@x.y', '%252e%252e%2F%252e%252e%2Fadmin%23%40x.y'],
    ['..\\admin', '..%5Cadmin'],
    ['a+b&c=d?', 'a%2Bb%26c%3Dd%3F'],
    ['a\r\nb\u0000\t ', 'a%0D%0Ab%EF%BF%BD%09%20'],
    ['\ud800é', '%EF%BF%BD%C3%A9'],
    ['...', '...'],
    [7, '7'],
    [{ a: '/' }, '%7B%22a%22%3A%22%2F%22%7D'],
    [null, ''],
  ] as const)('a value in a URL is one percent-encoded component: %j', ([value, encoded]) => {
    expect(fill(person, value)).toBe(`https://api.example.com/people/${encoded}/score`);
  });

  test('a value in a URL never changes the host, the other segments, or the rest of the query', () => {
    const url = 'https://api.example.com/a/${{ payload }}/b/-${{ payload }}?q=${{ payload }}&r=1#${{ payload }}';
    const hostile = fc.string({ unit: fc.constantFrom(...Array.from('./\\?#%&=+@:;2eEfF \t\n\u0000'), '..', '%2e') });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string()), (value) => {
        fc.pre(value !== '.' && value !== '..');
        const { host, pathname, searchParams } = new URL(fill(url, value));
        const [, first, own, third, suffixed, ...more] = pathname.split('/');
        const clean = value.replaceAll('\u0000', '\uFFFD');
        expect([host, first, third, more]).toEqual(['api.example.com', 'a', 'b', []]);
        expect([decodeURIComponent(own!), decodeURIComponent(suffixed!)]).toEqual([clean, `-${clean}`]);
        expect([...searchParams]).toEqual([
          ['q', clean],
          ['r', '1'],
        ]);
      }),
    );
  });

  test.for([
    ['https://x.example/a/${{ payload }}/b', '.'],
    ['https://x.example/a/${{ payload }}/b', '..'],
    ['https://x.example/${{ payload }}', '..'],
    ['https://x.example/a/${{ payload }}?q', '..'],
    ['https://x.example/a/${{ payload }} ', '..'],
    ['https://x.example/a\\${{ payload }}', '..'],
    ['https://x.example/a/.${{ payload }}/b', '.'],
    ['https://x.example/a/%2E${{ payload }}/b', '.'],
    ['https://x.example/a/.\t${{ payload }}/b', '.'],
    ['https://x.example/a/${{ payload }}${{ payload }}', '.'],
    ['https://x.example/a/..${{ payload }}/b', ''],
  ])('a value in a URL cannot become a dot segment of the path: %j with %j', ([url, value]) => {
    expect(() => fill(url!, value)).toThrow('url: An expression in a URL must not produce a path segment');
  });

  test.for([
    ['https://x.example/a/../${{ payload }}', 'b', 'https://x.example/a/../b'],
    ['https://x.example/a/v${{ payload }}.${{ payload }}', '.', 'https://x.example/a/v...'],
    ['https://x.example/a?q=${{ payload }}', '..', 'https://x.example/a?q=..'],
    ['https://x.example/a#/${{ payload }}', '..', 'https://x.example/a#/..'],
  ])('dots in a URL that make no dot segment are accepted: %j', ([url, value, filled]) => {
    expect(fill(url!, value)).toBe(filled);
  });

  test('a value that is too large to be encoded in a URL ends the evaluation', () => {
    expect(() => fill(person, '/'.repeat(1_000_001))).toThrow('takes too long');
  });
});

test('a URL that is a single expression is not encoded', () => {
  expect(fill('${{ payload }}', 'https://x.example/a/../b?c=d e')).toBe('https://x.example/a/../b?c=d e');
});

test('urlEncode() encodes a string as one component', () => {
  expect(evaluate("'https://x.example/' + urlEncode(payload)", '../a b?')).toBe('https://x.example/..%2Fa%20b%3F');
  expect(evaluate('urlEncode(string(7))')).toBe('7');
  expect(evaluate('urlEncode(payload)', 'a\ud800')).toBe('a%EF%BF%BD');
  expect(() => evaluate('urlEncode(7)')).toThrow('urlEncode');
  expect(() => evaluate('urlEncode(payload)', { a: 1 })).toThrow('A function needs a string');
  for (const dots of ['.', '..']) expect(() => evaluate('urlEncode(payload)', dots)).toThrow('cannot encode');
});

test('urlEncode() is charged for the string that it creates', () => {
  expect(() => evaluate("urlEncode(payload) + 'x'", 'é'.repeat(300_000))).toThrow('longer than 1 MB');
});
