import type { IncomingMessage } from 'node:http';
import { type EventsQuery, streamHeaders } from '@relata/schemas';
import { AppError, type ErrorDetail, readPart, validationError } from '@relata/schemas/errors';

/**
 * Throws `validation_error` for parameters that do not apply to a stream: the size of a page, a wait, or the order
 * `desc`.
 */
export function requireStreamable({ url = '' }: IncomingMessage, { order }: EventsQuery): void {
  const given = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const wrong = ['limit', 'wait'].filter((name) => given.has(name));
  if (order === 'desc') wrong.push('order');
  if (wrong.length > 0) throw validationError(wrong.map(notForStreams));
}

function notForStreams(field: string): ErrorDetail {
  const message = field === 'order' ? 'A stream supports only the order `asc`.' : 'Cannot be used with a stream.';
  return { in: 'query', field, code: 'conflicting_parameters', message };
}

const name = 'Last-Event-ID';

/** Returns the last cursor of a reconnecting client. Throws `validation_error` if it is malformed. */
export function readLastEventId({ headers }: IncomingMessage): string | undefined {
  const given = headers['last-event-id'];
  // Clients without a last id may send an empty header.
  if (given === undefined || given === '') return undefined;
  const { value, details } = readPart('header', streamHeaders, { [name]: given });
  if (details.length > 0) throw validationError(details);
  return (value as { [name]: string })[name];
}

/** Throws the given error with its details attributed to the header `Last-Event-ID`. */
export function ofHeader(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'validation_error' || !error.details) throw error;
  throw validationError(error.details.map((detail) => ({ ...detail, in: 'header', field: name })));
}
