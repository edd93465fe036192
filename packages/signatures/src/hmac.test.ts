import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacOf } from './hmac.ts';

const messages = [
  [Buffer.alloc(0)],
  ['1700000000.', randomBytes(1_000), ''],
  ['é€\u{1f600}', randomBytes(64)],
  [randomBytes(16_384)],
  [randomBytes(16_384), '.'],
  [randomBytes(100_000)],
];

const algorithms = ['sha1', 'sha256', 'sha512'] as const;

test.for([1, 20, 63, 64, 65, 127, 128, 129, 1_024])(
  'HMACs with a key of %i bytes are those that Node computes',
  (size) => {
    const key = createSecretKey(randomBytes(size));
    const cases = messages.flatMap((message) => algorithms.map((algorithm) => ({ message, algorithm })));
    const expected = cases.map(({ message, algorithm }) => {
      const node = createHmac(algorithm, key);
      for (const piece of message) node.update(piece);
      return node.digest();
    });
    // In the second pass, the padded keys are already cached.
    for (let time = 1; time <= 2; time++) {
      const made = cases.map(({ message, algorithm }) => hmacOf(algorithm, key, message));
      expect(made).toEqual(expected);
    }
  },
);

test('an HMAC equals the example in RFC 4231', () => {
  const key = createSecretKey('Jefe', 'utf8');
  const made = hmacOf('sha256', key, ['what do ya want ', 'for nothing?']);
  expect(made.toString('hex')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
});
