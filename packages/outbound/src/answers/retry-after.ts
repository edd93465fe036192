const retryAfterMsMax = 3_600_000;

/** How long a `Retry-After` header asks to wait, in seconds or until a date; an hour at most is believed. */
export function readRetryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), retryAfterMsMax);
}
