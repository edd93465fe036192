import type { ErrorData, ErrorDetail } from './error-body.ts';
import { type ErrorCode, errors } from './errors.ts';
import type { Scope } from '../scopes.ts';

export interface AppErrorOptions {
  details?: ErrorDetail[];
  /** Whole seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  /** `updated_at` of the record as it is, for `precondition_failed`. */
  updatedAt?: string;
  /** How to authenticate, for `unauthorized`: the `WWW-Authenticate` header. */
  challenge?: string;
  /** What the message names, for programs: members of the body beside it. */
  data?: ErrorData;
  cause?: unknown;
}

/** A fault that the caller can act on. Whatever else is thrown is a bug and shows as `internal_error`. */
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

/** More problems of one request are only counted: nobody reads them, and to name each takes longer than to read the body. */
export const detailsMax = 100;

/**
 * A request that breaks the rules, with every rule that it breaks; the first hundred, should there be more. Problems
 * that were counted and not named come on top.
 */
export function validationError(details: ErrorDetail[], unnamed = 0): AppError {
  const total = details.length + unnamed;
  const count = total === 1 ? '1 field is' : `${total} fields are`;
  return new AppError('validation_error', `${count} invalid.`, { details: details.slice(0, detailsMax) });
}

/** Fields of a body that name something which the organization does not have. */
export function invalidReferences(fields: readonly string[]): AppError {
  return validationError(
    fields.map((field) => ({
      in: 'body',
      field,
      code: 'invalid_reference',
      message: 'Names nothing in this organization.',
    })),
  );
}

/** A key without a scope that the operation needs. */
export function scopeMissing(scope: Scope): AppError {
  return new AppError('forbidden', `The API key lacks the scope ${scope}.`, { data: { required_scopes: [scope] } });
}
