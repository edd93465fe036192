import { isTransient, isTlsFault, serverMessage } from '@relata/db';
import { CliError } from '../output/cli.error.ts';

/** SQLSTATE codes: wrong user or password, no permission, no such database. */
const refusals = /^(28...|42501|3D000)$/;

/** Converts an error of the connection or the server to a CliError. Returns other errors unchanged. */
export function explainDatabase(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as Error & { code?: string };
  const where = `PostgreSQL at ${addressOf(url)}`;
  if (refusals.test(code ?? '')) return unavailable(`${where} refused the connection: ${error.message}.`, error);
  if (isTlsFault(error)) return unavailable(`${where} cannot be used with TLS: ${error.message}.`, error);
  const said = serverMessage(error);
  if (said !== undefined && isTransient(error)) return unavailable(`${where} answered: ${said}.`, error);
  // KnexTimeoutError: the pool of the migrations gave up waiting for a connection.
  if (isTransient(error) || error.name === 'KnexTimeoutError')
    return unavailable(`${where} is unavailable (${code ?? error.message}). Is it running?`, error);
  return error;
}

function unavailable(message: string, cause: Error): CliError {
  return new CliError('service_unavailable', message, { cause });
}

/** Returns the address without user and password. */
export function addressOf(url: string): string {
  return URL.parse(url)?.host || 'DATABASE_URL';
}
