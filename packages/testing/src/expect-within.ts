import { expect } from 'vitest';

const attemptsMax = 3;

/**
 * Expects work to take less than `maxMs` in one of three attempts: the machine may stall during one attempt, but slow
 * code is slow each time. Work that passes at the first attempt runs once. If the work returns a number, this is its
 * duration in ms.
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
