export type OutboundErrorCode =
  | 'invalid_request'
  | 'invalid_url'
  | 'refused_address'
  | 'refused_redirect'
  | 'too_many_redirects'
  | 'timeout'
  | 'connection'
  | 'too_large'
  | 'bad_response'
  | 'bad_status'
  | 'aborted';

/** Codes of failures after which a retry may succeed. For `bad_status`, this depends on the status. */
const retryable: ReadonlySet<OutboundErrorCode> = new Set(['timeout', 'connection', 'aborted']);

export interface OutboundErrorDetails {
  isRetryable?: boolean;
  /** Status of the response; set for `bad_status`. */
  status?: number;
  /** Beginning of the response text, for the operator. */
  excerpt?: string;
  /** Time that the server asks to wait before the next attempt. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * A request that failed. The message names the host of the URL, but neither the rest of the URL, which may contain a
 * key, nor the addresses of the host.
 */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundErrorCode;
  readonly isRetryable: boolean;
  readonly status: number | undefined;
  readonly excerpt: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: OutboundErrorCode, message: string, details: OutboundErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.isRetryable = details.isRetryable ?? retryable.has(code);
    this.status = details.status;
    this.excerpt = details.excerpt;
    this.retryAfterMs = details.retryAfterMs;
  }
}
