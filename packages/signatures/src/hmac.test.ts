import { createHmac, createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacOf } from './hmac.ts';

const algorithms = ['sha1', 'sha256', 'sha512'] as const;
const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 31 + length) % 256));
const bodies = [0, 1, 64, 1_024, 65_535, 65_536, 65_537].map(bytesOf);

test.each(algorithms)('an HMAC with %s equals that of createHmac for keys and messages of any length', (algorithm) => {
  for (const keyBytes of [1, 20, 63, 64, 65, 127, 128, 129, 1_024]) {
    const key = createSecretKey(bytesOf(keyBytes));
    for (const body of bodies) {
      expect(hmacOf(algorithm, key, [body])).toEqual(createHmac(algorithm, key).update(body).digest());
    }
  }
});

test('a message may have pieces of text, which are UTF-8', () => {
  const key = createSecretKey(bytesOf(32));
  const expected = createHmac('sha256', key).update('v0:1700000000:').update('{"a":1}').update('é😀').digest();
  expect(hmacOf('sha256', key, ['v0:1700000000:', Buffer.from('{"a":1}'), 'é😀'])).toEqual(expected);
});

test('a key makes the right HMAC with each algorithm in turn, whatever was signed before', () => {
  const key = createSecretKey(bytesOf(32));
  const long = bytesOf(60_000);
  for (const algorithm of [...algorithms, ...algorithms]) {
    hmacOf(algorithm, key, [long]);
    expect(hmacOf(algorithm, key, ['short'])).toEqual(createHmac(algorithm, key).update('short').digest());
  }
});

// https://www.rfc-editor.org/rfc/rfc4231, sections 4.3 and 4.7
test.each([
  ['Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  [
    Buffer.alloc(131, 0xaa),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
])('the HMAC is that of RFC 4231 (%#)', (secret, message, expected) => {
  expect(hmacOf('sha256', createSecretKey(Buffer.from(secret)), [message]).toString('hex')).toBe(expected);
});
