import type { ErrorData, ErrorDetail } from './error-body.ts';
import { type ErrorCode, errors } from './errors.ts';
import type { Scope } from '../scopes.ts';

export interface AppErrorOptions {
  details?: ErrorDetail[];
  /** Whole seconds after which the caller should retry. */
  retryAfterSeconds?: number;
  /** Current `updated_at` of the record, for `precondition_failed`. */
  updatedAt?: string;
  /** How to authenticate, for `unauthorized`: the `WWW-Authenticate` header. */
  challenge?: string;
  /** Values that the message mentions, as structured fields of the body. */
  data?: ErrorData;
  cause?: unknown;
}

/** An error that the caller can act on. Any other exception is a bug and is answered with `internal_error`. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly updatedAt: string | undefined;
  readonly challenge: string | undefined;
  readonly data: ErrorData | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.updatedAt = options.updatedAt;
    this.challenge = options.challenge;
    this.data = options.data;
  }

  get status(): number {
    return errors[this.code].status;
  }
}

/**
 * Maximum number of problems that an error describes. Further problems are only counted: nobody reads them, and
 * describing them takes longer than reading the body.
 */
export const detailsMax = 100;

/**
 * Returns the error for an invalid request: `details` keeps the first hundred problems, and the message counts all.
 * `unnamed` is the number of problems beyond `details`.
 */
export function validationError(details: ErrorDetail[], unnamed = 0): AppError {
  const total = details.length + unnamed;
  const count = total === 1 ? '1 field is' : `${total} fields are`;
  return new AppError('validation_error', `${count} invalid.`, { details: details.slice(0, detailsMax) });
}

export const noSuchRecord = (message = 'There is no such record.', data?: ErrorData) =>
  new AppError('not_found', message, { ...(data && { data }) });

/** Returns the error for an id that is not a UUID. It is the error for an unknown id, with a message of its own. */
export const notAnId = () => noSuchRecord('The id is not a UUID, so no record has it. Use the `id` of a record.');

/** Returns what was found; throws `not_found` if nothing was. */
export function orNotFound<Found>(found: Found | undefined, message?: string): Found {
  if (found === undefined) throw noSuchRecord(message);
  return found;
}

/** Returns the error for a key that lacks a scope which the operation requires. */
export function scopeMissing(scope: Scope): AppError {
  return new AppError('forbidden', `The API key lacks the scope ${scope}.`, { data: { required_scopes: [scope] } });
}
