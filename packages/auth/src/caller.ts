import type { Actor } from '@relata/events';
import type { Scope } from '@relata/schemas';

/** Who makes a request: an API key, and the organization that it belongs to. */
export interface Caller {
  orgId: string;
  orgName: string;
  keyId: string;
  keyName: string;
  kind: 'secret' | 'publishable';
  lastFour: string;
  scopes: ReadonlySet<Scope>;
  /** Web pages that a publishable key may be used from. */
  origins: readonly string[];
  /** ISO 8601; null where the key does not expire. */
  expiresAt: string | null;
}

/** The caller as the actor of what a request changes. */
export function actorOf({ orgId, keyId, keyName }: Caller, requestId: string): Actor {
  return { kind: 'api_key', keyId, keyName, requestId, orgId };
}
