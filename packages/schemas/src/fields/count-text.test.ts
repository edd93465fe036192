import { expect, test } from 'vitest';
import { countText } from './count-text.ts';

test.each([0, 7, 100, 999, 1_000, 16_384, 100_000, 1_048_576, 1_234_567_890, Number.MAX_SAFE_INTEGER])(
  'writes %d with commas between thousands',
  (count) => expect(countText(count)).toBe(count.toLocaleString('en-US')),
);
