import { isUnavailable } from '@relata/db';
import { QueueFullError } from '@relata/runtime';
import { AppError } from '@relata/schemas';

/** What an error looks like from outside. */
export interface ErrorAnswer {
  error: AppError;
  /** Set where the fault is ours, so that it is logged with its cause. */
  fault?: unknown;
}

/** Sorts an error: what the caller can act on, what passes by itself, and bugs, which are shown without detail. */
export function answerFor(error: unknown): ErrorAnswer {
  if (error instanceof AppError) return { error };
  if (error instanceof QueueFullError) return { error: unavailable(error) };
  if (isUnavailable(error)) return { error: unavailable(error), fault: error };
  return { error: new AppError('internal_error', 'Something went wrong on our side.', { cause: error }), fault: error };
}

function unavailable(cause: unknown): AppError {
  const message = 'The service cannot answer right now. Try again.';
  return new AppError('service_unavailable', message, { retryAfterSeconds: 1, cause });
}
