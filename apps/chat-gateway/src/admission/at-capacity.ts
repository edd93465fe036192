import { AppError } from '@relata/schemas/errors';

/** Some answer will have ended by then. */
export const retryAfterSeconds = 2;

export const atCapacity = () =>
  new AppError('service_unavailable', 'The chat is at capacity. Try again.', { retryAfterSeconds });
