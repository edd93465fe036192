import { isUnavailable } from '@relata/db';
import { QueueFullError } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';

/** An error as it is answered. */
export interface ErrorAnswer {
  error: AppError;
  /** Set for an internal error, so that it is logged with its cause. */
  fault?: unknown;
}

/** Given hundreds of times at once; to make an error takes longer than to answer with one. */
const busy: ErrorAnswer = { error: unavailable() };

/** Maps what was thrown to an answer: errors for the caller, unavailability, and bugs, which show no detail. */
export function answerFor(error: unknown): ErrorAnswer {
  if (error instanceof AppError) return { error };
  if (error instanceof QueueFullError) return busy;
  if (isUnavailable(error)) return { error: unavailable(error), fault: error };
  return { error: new AppError('internal_error', 'Something went wrong on our side.', { cause: error }), fault: error };
}

function unavailable(cause?: unknown): AppError {
  const message = 'The service cannot answer right now. Try again.';
  return new AppError('service_unavailable', message, { retryAfterSeconds: 1, cause });
}
