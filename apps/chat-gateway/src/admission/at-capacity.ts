import { AppError } from '@relata/schemas/errors';

/** Seconds until a retry makes sense: by then some answer will have ended. */
export const retryAfterSeconds = 2;

export const atCapacity = () =>
  new AppError('service_unavailable', 'The chat is at capacity. Try again.', { retryAfterSeconds });
