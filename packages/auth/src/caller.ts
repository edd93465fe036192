import type { Actor } from '@relata/events';
import type { Scope } from '@relata/schemas';

/** The caller of a request: an API key and its organization. */
export interface Caller {
  orgId: string;
  orgName: string;
  keyId: string;
  keyName: string;
  kind: 'secret' | 'publishable';
  lastFour: string;
  scopes: ReadonlySet<Scope>;
  /** Origins of web pages that may use a publishable key. */
  origins: readonly string[];
  /** ISO 8601; null if the key does not expire. */
  expiresAt: string | null;
}

export function toActor({ orgId, keyId, keyName }: Caller, requestId: string): Actor {
  return { kind: 'api_key', keyId, keyName, requestId, orgId };
}
