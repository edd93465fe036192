import type { IncomingMessage } from 'node:http';

/** The API key of a request. Where both headers come, `X-Api-Key` counts. */
export function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  const { authorization } = headers;
  return authorization && /^bearer /i.test(authorization) ? authorization.slice(7).trim() : undefined;
}
