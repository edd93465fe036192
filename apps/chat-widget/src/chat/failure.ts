/** Reason why there is no answer, or only a part of one. */
export type Failure =
  /** Too many requests; the next one is allowed at `until`, in milliseconds since 1970. */
  | { readonly kind: 'wait'; readonly until: number }
  /** The key is missing, wrong, or not for this site. */
  | { readonly kind: 'setup' }
  | { readonly kind: 'network' }
  /** The gateway is reachable but cannot answer at the moment. */
  | { readonly kind: 'away' }
  /** The gateway does not accept this conversation. */
  | { readonly kind: 'refused' }
  /** The answer ended in an error. */
  | { readonly kind: 'answer' }
  /** The answer ended in the middle. */
  | { readonly kind: 'cut' };

export class ChatError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

const texts: Record<Failure['kind'], string> = {
  wait: 'You have asked a lot in a short time. Please wait a moment.',
  setup: 'This chat is not set up for this site.',
  network: 'The chat could not be reached. Check your connection and try again.',
  away: 'The chat is not available right now. Please try again in a moment.',
  refused: 'This message was not accepted. Try again, or start a new conversation.',
  answer: 'Something went wrong while answering. Please try again.',
  cut: 'The answer was cut off before its end.',
};

/** Returns the text for a visitor. It never contains text from the server. */
export const failureText = ({ kind }: Failure): string => texts[kind];

const wait = { defaultSeconds: 30, maxSeconds: 3_600 };

export function readFailure(response: Response): Failure {
  const { status } = response;
  if (status === 429) return { kind: 'wait', until: Date.now() + 1_000 * waitSeconds(response.headers) };
  if (status === 401 || status === 403) return { kind: 'setup' };
  return { kind: status >= 500 ? 'away' : 'refused' };
}

/**
 * Returns the seconds to wait, 1 to 3,600, from `Retry-After` (seconds or a date) or else `RateLimit-Reset` (seconds).
 * Returns 30 if neither can be read, for example because another origin does not expose them.
 */
export function waitSeconds(headers: Headers): number {
  const seconds =
    retryAfter(headers.get('retry-after')) ?? count(headers.get('ratelimit-reset')) ?? wait.defaultSeconds;
  return Math.min(Math.max(Math.ceil(seconds), 1), wait.maxSeconds);
}

function retryAfter(value: string | null): number | undefined {
  // Date.parse accepts nearly anything as a date, for example "-5"; an HTTP date ends with its zone.
  const date = value?.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return count(value) ?? (Number.isNaN(date) ? undefined : (date - Date.now()) / 1_000);
}

function count(value: string | null): number | undefined {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : undefined;
}
