import { isUnavailable } from '@relata/db';
import { QueueFullError } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';

export interface ErrorResponse {
  error: AppError;
  /** The cause of an internal error, for the log. */
  fault?: unknown;
}

/** A shared error: hundreds may be needed at once, and creating an error takes longer than sending it. */
const busy: ErrorResponse = { error: unavailable() };

/** Maps a thrown value to a response. A bug becomes `internal_error`, whose answer hides the details. */
export function errorResponseFor(error: unknown): ErrorResponse {
  if (error instanceof AppError) return { error };
  if (error instanceof QueueFullError) return busy;
  if (isUnavailable(error)) return { error: unavailable(error), fault: error };
  return { error: new AppError('internal_error', 'Something went wrong on our side.', { cause: error }), fault: error };
}

export function unavailable(cause?: unknown): AppError {
  const message = 'The service cannot answer right now. Try again.';
  return new AppError('service_unavailable', message, { retryAfterSeconds: 1, cause });
}
