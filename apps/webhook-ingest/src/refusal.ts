import { answerFor, type Exchange, RequestTimeoutError, sendJson, sendTimeout } from '@relata/http';
import { InDoubtError } from './deliveries/doubt.ts';

/** Every way in which the receiver refuses: its status, and the text that senders may rely on. */
const refusals = {
  not_found: { status: 404, text: 'webhook trigger not found' },
  method_not_allowed: { status: 405, text: 'method not allowed' },
  unauthorized: { status: 401, text: 'missing or invalid webhook secret' },
  rate_limited: { status: 429, text: 'rate limit exceeded, try again later' },
  payload_too_large: { status: 413, text: 'payload too large' },
  invalid_json: { status: 400, text: 'request body must be valid JSON' },
  /** Too many keys or levels: it is the payload that is too large, though not its bytes. */
  too_complex: { status: 400, text: 'payload too large' },
  /** The text names the inputs. */
  invalid_input: { status: 400, text: '' },
  service_unavailable: { status: 503, text: 'service unavailable, try again later' },
  internal_error: { status: 500, text: 'internal error' },
  /** The answer is that of what is no HTTP. */
  request_timeout: { status: 408, text: '' },
  /** No answer is given: the connection ends. */
  in_doubt: { status: 503, text: '' },
} as const satisfies Record<string, { status: number; text: string }>;

export type RefusalReason = keyof typeof refusals;

export const refusalReasons = Object.keys(refusals) as RefusalReason[];

interface RefusalDetail {
  text?: string;
  field?: string;
  retryAfterSeconds?: number;
}

/** A delivery that is not taken. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly reason: RefusalReason;
  readonly retryAfterSeconds: number | undefined;
  /** The fields of the delivery at fault. */
  readonly field: string | undefined;

  constructor(reason: RefusalReason, { text, field, retryAfterSeconds }: RefusalDetail = {}) {
    super(text ?? refusals[reason].text);
    this.reason = reason;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The reason for an error. */
export function reasonOf(thrown: unknown): RefusalReason {
  if (thrown instanceof Refusal) return thrown.reason;
  if (thrown instanceof InDoubtError) return 'in_doubt';
  if (thrown instanceof RequestTimeoutError) return 'request_timeout';
  const { code } = answerFor(thrown).error;
  // An encoding that is not known, or bytes that are not packed as they say: there is no JSON to be had.
  if (code === 'unsupported_media_type') return 'invalid_json';
  return code in refusals ? (code as RefusalReason) : 'internal_error';
}

/** What is kept of a refusal, but for a post of which it is unknown whether it was stored. */
export function describeRefusal(thrown: unknown) {
  const reason = reasonOf(thrown);
  if (reason === 'in_doubt') return undefined;
  const { status, text } = refusals[reason];
  const { message, field } = thrown instanceof Refusal ? thrown : { message: '', field: undefined };
  return { reason, status, text: message || text || reason, field };
}

/**
 * Answers with the error alone, as the receiver's contract has it; an internal error is logged with its cause. What may have
 * been stored is not answered: a 5xx would promise that nothing was stored.
 */
export function refuse(exchange: Exchange, thrown: unknown): void {
  if (thrown instanceof InDoubtError) {
    exchange.log.error({ err: thrown, request_id: exchange.requestId }, 'delivery in doubt: it may have been stored');
    return void exchange.response.destroy();
  }
  if (thrown instanceof RequestTimeoutError) return sendTimeout(exchange, 'webhook');
  const reason = reasonOf(thrown);
  const refusal = thrown instanceof Refusal ? thrown : undefined;
  const { fault, error } = refusal ? {} : answerFor(thrown);
  if (fault !== undefined) exchange.log.error({ err: fault, request_id: exchange.requestId }, refusals[reason].text);
  const retryAfter = refusal?.retryAfterSeconds ?? error?.retryAfterSeconds;
  const headers = {
    ...(reason === 'method_not_allowed' && { Allow: 'POST' }),
    ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
  };
  sendJson(exchange, refusals[reason].status, { error: refusal?.message || refusals[reason].text }, headers);
}
