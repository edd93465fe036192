const retryAfterMsMax = 3_600_000;

/**
 * Reads a `Retry-After` header, in seconds or as a date, in ms. Caps it at one hour; returns undefined if it is missing
 * or invalid.
 */
export function readRetryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), retryAfterMsMax);
}
