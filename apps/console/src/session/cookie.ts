import type { IncomingMessage } from 'node:http';
import { isToken } from '@relata/people';

const sessionName = 'relata_session';

/** Returns the name of a cookie. Browsers accept `__Host-` only over HTTPS, for this exact host and for all paths. */
const nameOf = (name: string, isSecure: boolean) => `${isSecure ? '__Host-' : ''}${name}`;

export function cookieIn({ headers }: IncomingMessage, name: string, isSecure: boolean): string | undefined {
  const prefix = `${nameOf(name, isSecure)}=`;
  const pair = headers.cookie?.split(/; */).find((each) => each.startsWith(prefix));
  return pair?.slice(prefix.length);
}

export function tokenIn(request: IncomingMessage, isSecure: boolean): string | undefined {
  const token = cookieIn(request, sessionName, isSecure);
  return token !== undefined && isToken(token) ? token : undefined;
}

/**
 * Returns the cookie of a session. Other sites cannot make browsers send it, scripts cannot read it, and it lasts at
 * most as long as the session.
 */
export function sessionCookie(token: string, isSecure: boolean, maxMs: number): string {
  return formatCookie(sessionName, token, { isSecure, maxMs });
}

export const noCookie = (isSecure: boolean): string => formatCookie(sessionName, '', { isSecure, maxMs: 0 });

interface CookieOptions {
  isSecure: boolean;
  maxMs: number;
}

/** Returns a cookie that scripts cannot read and other sites cannot make browsers send. */
export function formatCookie(name: string, value: string, { isSecure, maxMs }: CookieOptions): string {
  const seconds = Math.floor(maxMs / 1_000);
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return `${nameOf(name, isSecure)}=${value}; ${attributes}`;
}
