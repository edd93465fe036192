import { serverMessage } from '@relata/db';

/** Errors of the drivers hold no address with a password. */
export function reasonOf(error: unknown): string {
  const said = serverMessage(error);
  if (said !== undefined) return said;
  const { code, message, name } = error as Error & { code?: unknown };
  return message || (typeof code === 'string' ? code : name);
}
