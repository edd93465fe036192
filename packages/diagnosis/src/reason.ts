import { serverMessage } from '@relata/db';

/** Returns the reason of an error. Errors of the drivers contain no URL with a password. */
export function errorReason(error: unknown): string {
  const said = serverMessage(error);
  if (said !== undefined) return said;
  const { code, message, name } = error as Error & { code?: unknown };
  return message || (typeof code === 'string' ? code : name);
}
