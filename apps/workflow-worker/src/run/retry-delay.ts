import type { CompiledStep } from '@relata/workflows/execution';

/**
 * How long to wait before the next attempt: exponential with full jitter, so that many that failed together do not
 * come back together; never sooner than the other side asked for.
 */
export function retryDelayMs(
  { initialDelayMs, maxDelayMs }: CompiledStep['retry'],
  attempts: number,
  retryAfterMs = 0,
  random = Math.random,
): number {
  const most = Math.min(maxDelayMs, initialDelayMs * 2 ** (attempts - 1));
  return Math.max(Math.round(random() * most), retryAfterMs);
}
