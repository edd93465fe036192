import type { IncomingMessage } from 'node:http';
import { type EventsQuery, streamHeaders } from '@relata/schemas';
import { AppError, type ErrorDetail, readPart, validationError } from '@relata/schemas/errors';

/** Throws `validation_error` for parameters that say how an answer is cut up: a stream has no end, and no other order. */
export function requireStreamable({ url = '' }: IncomingMessage, { order }: EventsQuery): void {
  const given = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const wrong = ['limit', 'wait'].filter((name) => given.has(name));
  if (order === 'desc') wrong.push('order');
  if (wrong.length > 0) throw validationError(wrong.map(notForStreams));
}

function notForStreams(field: string): ErrorDetail {
  const message = field === 'order' ? 'A stream has the order `asc` alone.' : 'Is not for a stream.';
  return { in: 'query', field, code: 'conflicting_parameters', message };
}

const name = 'Last-Event-ID';

/** The cursor that a client got last, as it names it when it comes back; throws `validation_error` for what never was one. */
export function lastEventIdOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['last-event-id'];
  // Clients that have got none may send it empty.
  if (given === undefined || given === '') return undefined;
  const { value, details } = readPart('header', streamHeaders, { [name]: given });
  if (details.length > 0) throw validationError(details);
  return (value as { [name]: string })[name];
}

/** Rethrows what was found wrong with a cursor, as one that came in the header. */
export function ofHeader(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'validation_error' || !error.details) throw error;
  throw validationError(error.details.map((detail) => ({ ...detail, in: 'header', field: name })));
}
