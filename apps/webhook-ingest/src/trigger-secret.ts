import { hashCredential, isSameHash } from '@relata/auth';

/** One of the secrets that open a trigger. */
export interface SnapshotSecret {
  hash: string;
  /** Milliseconds since 1970; Infinity for one without an end. */
  expiresAtMs: number;
  keyId: string | null;
}

/** The secret that was sent, if it opens the trigger now. All are compared, each in constant time. */
export function findSecret(secrets: readonly SnapshotSecret[], sent: unknown): SnapshotSecret | undefined {
  if (typeof sent !== 'string' || sent === '') return undefined;
  const hash = hashCredential(sent);
  const now = Date.now();
  let found: SnapshotSecret | undefined;
  for (const secret of secrets) {
    if (isSameHash(secret.hash, hash) && secret.expiresAtMs > now) found = secret;
  }
  return found;
}
