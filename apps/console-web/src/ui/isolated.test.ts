import { expect, test } from 'vitest';
import { isolated } from './isolated.ts';

test('a name that turns text is isolated from the sentence around it, and others are as they were', () => {
  expect(isolated('Acme')).toBe('Acme');
  expect(isolated('שלום')).toBe('שלום');
  expect(isolated('invoice\u202Egnp')).toBe('\u2068invoice\u202Egnp\u2069');
});

test('a name cannot end its own isolate', () => {
  expect(isolated('a\u2069\u202Eb')).toBe('\u2068a\u202Eb\u2069');
});
