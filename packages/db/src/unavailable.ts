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
 * Of SQLSTATE: connection lost, shutting down, too many connections, cancelled, lock not had, conflict, standby, too long
 * in a transaction.
 */
const passingStates = /^(08...|57P0[1-5]|53...|57014|55P03|40001|40P01|25006|25P0[34])$/;

/** What `pg` says without a code. */
const passingMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/**
 * Returns true if the database failed rather than the statement: the same request may succeed a moment later. So it is with
 * a connection that was refused, also for a password or a certificate, which are renewed while processes run.
 */
export function isUnavailable(error: unknown): boolean {
  return isPassing(error) || (error instanceof Error && isConnectError(error));
}

/** Returns true if waiting may help by itself, as it does not where a password or a certificate is wrong. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  if (typeof code === 'string') return networkCodes.has(code) || passingStates.test(code);
  return passingMessages.test(error.message);
}

/** Of OpenSSL, which names what is wrong with a certificate, and of Node. */
const tlsCodes =
  /^(CERT_|CRL_|ERROR_IN_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|PATH_LENGTH_|HOSTNAME_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/;

/** Of `pg`, where one side wants TLS and the other has none. */
const tlsMessages = /^(The server does not support SSL|There was an error establishing an SSL)/;

/** Returns true if there was no connection because of TLS: a certificate, a name that is not in it, a server without it. */
export function isTlsFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' ? tlsCodes.test(code) : tlsMessages.test(error.message);
}

/** Of SQLSTATE: a deadlock, a lock that was not free in time, a conflict of transactions. */
const contendedStates = new Set<unknown>(['40P01', '55P03', '40001']);

/** Returns true if a transaction failed only because of another one: the database itself is well. */
export function isContended(error: unknown): boolean {
  return error instanceof Error && contendedStates.has((error as Error & { code?: unknown }).code);
}

/** Of SQLSTATE: the server rolled the statement back. */
const undoneStates = /^(53...|57014|55P03|40001|40P01|25006|25P0[34])$/;

/**
 * Returns true if a statement that failed may have been committed all the same: the connection broke after it was sent
 * and before its answer arrived.
 */
export function isInDoubt(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const { code, message } = error as Error & { code?: string };
  const wasNeverSent = isConnectError(error as Error) || message.startsWith('timeout exceeded when trying to connect');
  return !wasNeverSent && !undoneStates.test(code ?? '');
}

/** The foreign key that a write broke, by the name of its constraint. */
export function brokenForeignKey(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23503' && typeof constraint === 'string' ? constraint : undefined;
}

/** What the server, or a pooler in front of it, said: undefined where nothing answered. It holds no address or password. */
export function serverMessage(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const said = `${error.message} (${error.code})`;
  return error.message.startsWith('unsupported startup parameter') ? `${said}. ${poolerHint}` : said;
}

const poolerHint = 'PgBouncer is to ignore it: see infra/images/README.md';
