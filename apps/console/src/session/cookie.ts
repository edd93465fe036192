import type { IncomingMessage } from 'node:http';
import { isToken } from '@relata/people';

const sessionName = 'relata_session';

/** A browser takes a name with this prefix by https alone, from this very host, for all paths. */
const nameOf = (name: string, isSecure: boolean) => `${isSecure ? '__Host-' : ''}${name}`;

/** Returns undefined if the request has no such cookie. */
export function cookieIn({ headers }: IncomingMessage, name: string, isSecure: boolean): string | undefined {
  const prefix = `${nameOf(name, isSecure)}=`;
  const pair = headers.cookie?.split(/; */).find((each) => each.startsWith(prefix));
  return pair?.slice(prefix.length);
}

/** The token of the session that a request comes with; undefined where it has none. */
export function tokenIn(request: IncomingMessage, isSecure: boolean): string | undefined {
  const token = cookieIn(request, sessionName, isSecure);
  return token !== undefined && isToken(token) ? token : undefined;
}

/** No other site can have it sent, no script can read it, and it lasts as long as the session at most. */
export function sessionCookie(token: string, isSecure: boolean, maxMs: number): string {
  return cookieOf(sessionName, token, { isSecure, maxMs });
}

export const noCookie = (isSecure: boolean): string => cookieOf(sessionName, '', { isSecure, maxMs: 0 });

interface CookieOptions {
  isSecure: boolean;
  maxMs: number;
}

/** A cookie that no script reads and no other site sends. */
export function cookieOf(name: string, value: string, { isSecure, maxMs }: CookieOptions): string {
  const seconds = Math.floor(maxMs / 1_000);
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return `${nameOf(name, isSecure)}=${value}; ${attributes}`;
}
