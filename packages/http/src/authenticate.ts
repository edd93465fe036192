import type { IncomingMessage } from 'node:http';
import type { Caller, Keyring } from '@relata/auth';

/** Finds the caller of a request; undefined where there is none. At once where it can be. */
export type Authenticate = (request: IncomingMessage) => Caller | undefined | Promise<Caller | undefined>;

/** Authenticates requests by their API keys. */
export function byApiKey(keyring: Keyring): Authenticate {
  return (request) => {
    const key = keyOf(request);
    return key === undefined ? undefined : keyring.identify(key);
  };
}

/** The API key of a request. Where both headers come, `X-Api-Key` counts. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  const { authorization } = headers;
  return authorization && /^bearer /i.test(authorization) ? authorization.slice(7).trim() : undefined;
}
