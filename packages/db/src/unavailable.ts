import pg from 'pg';
import { isConnectError } from './connections/connecting-client.ts';

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * SQLSTATEs: connection lost, shutting down, out of resources such as connections, cancelled, lock not available,
 * conflict, read-only standby, idle or too long in a transaction.
 */
const transientStates = /^(08...|57P0[1-5]|53...|57014|55P03|40001|40P01|25006|25P0[34])$/;

/** Messages of `pg` that have no code. */
const transientMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/**
 * Returns true if the database failed rather than the statement, so that the same request may succeed a moment later.
 * This includes a connection refused for its password or certificate, since these are renewed while processes run.
 */
export function isUnavailable(error: unknown): boolean {
  return isTransient(error) || (error instanceof Error && isConnectError(error));
}

/** Returns true if waiting alone may help, unlike with a wrong password or certificate. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  if (typeof code === 'string') return networkCodes.has(code) || transientStates.test(code);
  return transientMessages.test(error.message);
}

/** Error codes of OpenSSL and of Node for TLS and certificates. */
const tlsCodes =
  /^(CERT_|CRL_|ERROR_IN_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|PATH_LENGTH_|HOSTNAME_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/;

/** Messages of `pg` if only one side supports TLS. */
const tlsMessages = /^(The server does not support SSL|There was an error establishing an SSL)/;

/**
 * Returns true if the connection failed because of TLS: an invalid certificate, a certificate for another host, or a
 * server without TLS.
 */
export function isTlsFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' ? tlsCodes.test(code) : tlsMessages.test(error.message);
}

/** SQLSTATEs: a deadlock, a lock that was not free in time, a conflict of transactions. */
const contendedStates = new Set<unknown>(['40P01', '55P03', '40001']);

/** Returns true if a transaction failed only because of another transaction, while the database itself works. */
export function isContended(error: unknown): boolean {
  return error instanceof Error && contendedStates.has((error as Error & { code?: unknown }).code);
}

/** Returns true if the database failed, rather than a statement or its conflict with another transaction. */
export function isDatabaseOutage(error: unknown): boolean {
  return isUnavailable(error) && !isContended(error);
}

/** SQLSTATEs after which the server has rolled the statement back. */
const undoneStates = /^(53...|57014|55P03|40001|40P01|25006|25P0[34])$/;

/**
 * Returns true if a failed statement may have been committed nevertheless: the connection broke after it was sent and
 * before its answer arrived.
 */
export function isInDoubt(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const { code, message } = error as Error & { code?: string };
  const wasNeverSent = isConnectError(error as Error) || message.startsWith('timeout exceeded when trying to connect');
  return !wasNeverSent && !undoneStates.test(code ?? '');
}

/** Returns the name of the foreign key constraint that a write broke. */
export function brokenForeignKey(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23503' && typeof constraint === 'string' ? constraint : undefined;
}

/**
 * Returns the message of the server, or of a pooler in front of it; undefined if nothing answered. It contains no
 * password, but may contain the address of this client.
 */
export function serverMessage(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const said = `${error.message} (${error.code})`;
  return error.message.startsWith('unsupported startup parameter') ? `${said}. ${poolerHint}` : said;
}

const poolerHint = 'Configure PgBouncer to ignore it: see /docs/containers, or infra/images/README.md';
