import { expect } from 'vitest';

const attemptsMax = 3;

/**
 * Expects work to take less than `maxMs` in one of at most three attempts: the machine may stall during one attempt,
 * but slow code is slow each time. Stops at the first attempt that passes. If the work returns a number, that number
 * counts as its duration in ms.
 */
export async function expectWithin(maxMs: number, work: () => unknown): Promise<void> {
  let tookMs = Infinity;
  for (let attempt = 0; attempt < attemptsMax && tookMs >= maxMs; attempt++) {
    const startedAt = performance.now();
    const measured = await work();
    tookMs = typeof measured === 'number' ? measured : performance.now() - startedAt;
  }
  expect(tookMs).toBeLessThan(maxMs);
}
