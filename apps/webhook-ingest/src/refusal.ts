import { errorResponseFor, type Exchange, RequestTimeoutError, sendJson, sendText, sendTimeout } from '@relata/http';
import { InDoubtError } from './deliveries/store-until-known.ts';

/** All refusals of the receiver, with the status and the text that senders can rely on. */
const refusals = {
  not_found: { status: 404, text: 'webhook trigger not found' },
  method_not_allowed: { status: 405, text: 'method not allowed' },
  unauthorized: { status: 401, text: 'missing or invalid webhook secret' },
  /** A URL check without the right verify token. The response has no text. */
  forbidden: { status: 403, text: '' },
  rate_limited: { status: 429, text: 'rate limit exceeded, try again later' },
  payload_too_large: { status: 413, text: 'payload too large' },
  invalid_json: { status: 400, text: 'request body must be valid JSON' },
  /** The payload has too many keys or levels, regardless of its size in bytes. */
  too_complex: { status: 400, text: 'payload too large' },
  /** Each refusal has its own text, which names the inputs. */
  invalid_input: { status: 400, text: '' },
  service_unavailable: { status: 503, text: 'service unavailable, try again later' },
  internal_error: { status: 500, text: 'internal error' },
  /** The body arrived too slowly. The HTTP server itself responds, so there is no text here. */
  request_timeout: { status: 408, text: '' },
  /** No response is sent: the connection is closed. */
  in_doubt: { status: 503, text: '' },
} as const satisfies Record<string, { status: number; text: string }>;

export type RefusalReason = keyof typeof refusals;

export const refusalReasons = Object.keys(refusals) as RefusalReason[];

/** Reason why a request is not authenticated. The sender only gets the text of `unauthorized`. */
export type UnauthenticatedReason = 'no_signature' | 'bad_signature' | 'wrong_kind' | 'stale' | 'future';

/** The part of a refusal that only the operator sees. */
interface SeenRefusal {
  reason: UnauthenticatedReason | 'wrong_verify_token' | 'not_json' | 'body_incomplete';
  message: string;
}

interface RefusalDetail {
  seen?: SeenRefusal;
  text?: string;
  field?: string;
  challenge?: string | undefined;
  retryAfterSeconds?: number;
}

export class Refusal extends Error {
  override name = 'Refusal';
  readonly reason: RefusalReason;
  readonly retryAfterSeconds: number | undefined;
  /** Names of the invalid fields of the delivery. */
  readonly field: string | undefined;
  readonly seen: SeenRefusal | undefined;
  /** Value of `WWW-Authenticate`; undefined if the sender is not told how to authenticate. */
  readonly challenge: string | undefined;

  constructor(reason: RefusalReason, { seen, text, field, challenge, retryAfterSeconds }: RefusalDetail = {}) {
    super(text ?? refusals[reason].text);
    this.reason = reason;
    this.field = field;
    this.seen = seen;
    this.challenge = challenge;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the reason that determines the response and is counted in metrics. */
export function refusalReason(thrown: unknown): RefusalReason {
  if (thrown instanceof Refusal) return thrown.reason;
  if (thrown instanceof InDoubtError) return 'in_doubt';
  if (thrown instanceof RequestTimeoutError) return 'request_timeout';
  const { code } = errorResponseFor(thrown).error;
  // The sender gets `invalid_json` if the content encoding is unknown, and if the bytes are not compressed as declared.
  if (code === 'unsupported_media_type') return 'invalid_json';
  return code in refusals ? (code as RefusalReason) : 'internal_error';
}

const noDetail = { message: '', field: undefined };
const unread: SeenRefusal = {
  reason: 'body_incomplete',
  message: 'The body ended early, or is not compressed as its Content-Encoding says: use gzip, deflate, br or none.',
};

/** Returns the fields of a refusal for the operator; undefined for a post that may have been stored as a delivery. */
export function describeRefusal(thrown: unknown) {
  const reason = refusalReason(thrown);
  if (reason === 'in_doubt') return undefined;
  const { status, text } = refusals[reason];
  const isUnread = reason === 'invalid_json' && !(thrown instanceof Refusal);
  const { message, field, seen } =
    thrown instanceof Refusal ? thrown : { ...noDetail, seen: isUnread ? unread : undefined };
  return { reason: seen?.reason ?? reason, status, text: seen?.message ?? (message || text || reason), field };
}

/**
 * Sends a refusal, with only the error in the body, as the receiver's contract requires. An internal error is logged
 * with its cause. A delivery that may have been stored gets no response, since a 5xx would guarantee that nothing was
 * stored.
 */
export function refuse(exchange: Exchange, thrown: unknown): void {
  if (thrown instanceof InDoubtError) {
    exchange.log.error({ err: thrown, ...exchange.logIds }, 'delivery in doubt: it may have been stored');
    return void exchange.response.destroy();
  }
  if (thrown instanceof RequestTimeoutError) return sendTimeout(exchange, 'webhook');
  const reason = refusalReason(thrown);
  if (reason === 'forbidden') return sendText(exchange, refusals.forbidden.status, '');
  const refusal = thrown instanceof Refusal ? thrown : undefined;
  const { fault, error } = refusal ? {} : errorResponseFor(thrown);
  if (fault !== undefined) exchange.log.error({ err: fault, ...exchange.logIds }, refusals[reason].text);
  const retryAfter = refusal?.retryAfterSeconds ?? error?.retryAfterSeconds;
  const headers = {
    ...(reason === 'method_not_allowed' && { Allow: 'POST' }),
    ...(refusal?.challenge !== undefined && { 'WWW-Authenticate': refusal.challenge }),
    ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
  };
  sendJson(exchange, refusals[reason].status, { error: refusal?.message || refusals[reason].text }, headers);
}
