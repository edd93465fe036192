import { isUuid } from '@relata/schemas';
import { AppError, notAnId } from '@relata/schemas/errors';

/**
 * Returns the error for a request whose path has an id that is not a UUID: `not_found`, as for any unknown id, but with
 * a message that says what is wrong with it. Returns any other error unchanged.
 */
export function explainBrokenId(error: unknown, params: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof AppError) || error.code !== 'not_found') return error;
  const isBroken = Object.values(params).some((id) => typeof id === 'string' && !isUuid(id));
  return isBroken ? notAnId() : error;
}
