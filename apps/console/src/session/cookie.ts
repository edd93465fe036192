import type { IncomingMessage } from 'node:http';
import { isToken } from '@relata/people';

/** A browser takes the first one by https alone, from this very host, for all paths. */
const secureName = '__Host-relata_session';
const plainName = 'relata_session';

const nameOf = (isSecure: boolean) => (isSecure ? secureName : plainName);

/** The token of the session that a request comes with; undefined where it has none. */
export function tokenIn({ headers }: IncomingMessage, isSecure: boolean): string | undefined {
  const prefix = `${nameOf(isSecure)}=`;
  const pair = headers.cookie?.split(/; */).find((each) => each.startsWith(prefix));
  const token = pair?.slice(prefix.length);
  return token !== undefined && isToken(token) ? token : undefined;
}

/** No other site can have it sent, no script can read it, and it lasts as long as the session at most. */
export function sessionCookie(token: string, isSecure: boolean, maxMs: number): string {
  return cookieOf(isSecure, token, Math.floor(maxMs / 1_000));
}

export const noCookie = (isSecure: boolean): string => cookieOf(isSecure, '', 0);

function cookieOf(isSecure: boolean, value: string, seconds: number): string {
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return `${nameOf(isSecure)}=${value}; ${attributes}`;
}
