export type ChannelErrorCode = 'invalid_text' | 'timeout' | 'connection' | 'refused_address' | 'rejected' | 'aborted';

interface ChannelErrorDetails {
  isRetryable: boolean;
  /** Time in ms to wait before the next attempt, as requested by the channel. */
  retryAfterMs?: number | undefined;
  /** Status of the channel's response. */
  status?: number | undefined;
  cause?: unknown;
}

/**
 * A failure to post a message. The message may have arrived nevertheless. Since a channel cannot detect duplicates, a
 * failure is retryable only if there was no connection, or the channel answered 408, 425, 429 or 5xx. The error never
 * contains the webhook's URL, which is a secret.
 */
export class ChannelError extends Error {
  override name = 'ChannelError';
  readonly code: ChannelErrorCode;
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(
    code: ChannelErrorCode,
    message: string,
    { isRetryable, retryAfterMs, status, cause }: ChannelErrorDetails,
  ) {
    super(message, { cause });
    this.code = code;
    this.isRetryable = isRetryable;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }

  /** True if posting failed after the connection was established, so that the message may have arrived. */
  get isInDoubt(): boolean {
    return !this.isRetryable && ['timeout', 'connection', 'aborted'].includes(this.code);
  }
}
