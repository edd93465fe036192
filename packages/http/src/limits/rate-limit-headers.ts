import type { Taken } from './shared-limit.ts';

/** Adds the remaining limit to headers, in both forms that clients read. */
export function addRateLimitHeaders(headers: Record<string, string | number>, taken: Taken): void {
  const { limit, remaining, resetSeconds, policy } = taken;
  headers['RateLimit-Limit'] = limit;
  headers['RateLimit-Remaining'] = remaining;
  headers['RateLimit-Reset'] = resetSeconds;
  headers['RateLimit-Policy'] = policy.field;
  headers['RateLimit'] = `"${policy.name}";r=${remaining};t=${resetSeconds}`;
}
