import { expect, test } from 'vitest';
import { needsSlot } from './large-bodies.ts';

test.each([
  [524_288, 10, false],
  [524_288, 11, true],
  [524_289, 0, true],
  [100, 1_000, false],
])('a body of %i bytes with %i mapped inputs needs a slot: %s', (bytes, mappedInputs, needs) => {
  expect(needsSlot(bytes, mappedInputs)).toBe(needs);
});
