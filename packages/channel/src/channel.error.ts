export type ChannelErrorCode = 'invalid_text' | 'timeout' | 'connection' | 'refused_address' | 'rejected' | 'aborted';

interface ChannelErrorDetails {
  isRetryable: boolean;
  /** How long the channel asks to wait before the next attempt. */
  retryAfterMs?: number | undefined;
  /** Response of the channel. */
  status?: number | undefined;
  cause?: unknown;
}

/**
 * Failure to post a message, which may have arrived nevertheless. Retryable only if it certainly did not arrive, since
 * a channel cannot recognize a repeat. The text never contains the webhook's URL, which is a secret.
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

  /** True if the message had been sent when it failed, so that it may have arrived. */
  get isInDoubt(): boolean {
    return !this.isRetryable && ['timeout', 'connection', 'aborted'].includes(this.code);
  }
}
