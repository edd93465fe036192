import { expect, test } from 'vitest';
import { generateCredential, hashCredential, isSameHash, isWellFormed } from './key-format.ts';

test.each([
  ['secret', 'relata_sk_'],
  ['publishable', 'relata_pk_'],
  ['trigger', 'relata_whs_'],
  ['link', 'relata_lnk_'],
] as const)('the prefix of a %s credential identifies its kind', (kind, prefix) => {
  const credential = generateCredential(kind);
  expect(credential.startsWith(prefix)).toBe(true);
  expect(isWellFormed(credential)).toBe(true);
});

test('credentials are unique, and all characters occur', () => {
  const made = Array.from({ length: 500 }, () => generateCredential('secret'));
  expect(new Set(made).size).toBe(500);
  expect(new Set(made.map((key) => key.slice(10, 42)).join('')).size).toBe(62);
});

test('any single typo is detected without a look-up', () => {
  const credential = generateCredential('secret');
  for (let i = 0; i < credential.length; i++) {
    const wrong = credential.slice(0, i) + (credential[i] === 'x' ? 'y' : 'x') + credential.slice(i + 1);
    expect(isWellFormed(wrong), wrong).toBe(false);
  }
});

test.each(['', 'relata_sk_', 'nonsense', 'x'.repeat(10_000)])('%j is not a credential', (text) => {
  expect(isWellFormed(text)).toBe(false);
});

test('only whole hashes are equal', () => {
  const [a, b] = [hashCredential('a'), hashCredential('b')];
  expect([isSameHash(a, a), isSameHash(a, b), isSameHash(a, a.slice(1))]).toEqual([true, false, false]);
});
