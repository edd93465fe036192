const retryAfterMsMax = 3_600_000;

/**
 * Returns the wait of a `Retry-After` header (seconds or a date) in milliseconds, at most one hour; undefined if the
 * header is missing or invalid.
 */
export function readRetryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), retryAfterMsMax);
}
