import { hashCredential, isSameHash } from '@relata/auth';
import { recognizeMakers, type SecretReading } from '@relata/signatures';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal.ts';
import { unauthenticated, withoutSignature } from '../signed/unauthenticated.ts';
import type { SnapshotSecret, TriggerSnapshot } from './trigger-snapshot.ts';

/**
 * Returns the trigger's secret that a request contains in the place that the trigger expects. Throws Refusal if the
 * secret is missing or wrong.
 */
export function requireSecret(trigger: TriggerSnapshot, request: IncomingMessage): SnapshotSecret {
  const read = readSecret(trigger, request);
  const found = 'secret' in read ? findSecret(trigger.secrets, read.secret) : undefined;
  if (found) return found;
  throw refusalOf(trigger, read, request);
}

/** Reads the secret from the place that this kind of sender uses, or from `X-Webhook-Secret` for other senders. */
function readSecret({ sender }: TriggerSnapshot, { rawHeaders, headers, url = '' }: IncomingMessage): SecretReading {
  if (sender?.proof === 'secret') return sender.kind.read({ rawHeaders, url });
  const secret = sender ? undefined : headers['x-webhook-secret'];
  return typeof secret === 'string' && secret !== '' ? { secret } : { fault: 'missing' };
}

/**
 * Returns the trigger's secret that equals the sent secret and has not expired. It compares all secrets, each in
 * constant time.
 */
function findSecret(secrets: readonly SnapshotSecret[], sent: unknown): SnapshotSecret | undefined {
  if (typeof sent !== 'string' || sent === '') return undefined;
  const hash = hashCredential(sent);
  const now = Date.now();
  let found: SnapshotSecret | undefined;
  for (const secret of secrets) {
    if (isSameHash(secret.hash, hash) && secret.expiresAtMs > now) found = secret;
  }
  return found;
}

function refusalOf({ sender }: TriggerSnapshot, read: SecretReading, { rawHeaders }: IncomingMessage): Refusal {
  const isMissing = 'fault' in read && read.fault === 'missing';
  // The challenge is the same for every fault, so that the sender cannot tell faults apart.
  const challenge = sender?.proof === 'secret' ? sender.kind.authenticate : undefined;
  if (sender && isMissing) return withoutSignature(sender.place, rawHeaders, challenge);
  if (sender)
    return unauthenticated(
      'bad_signature',
      `The secret is wrong, malformed or sent twice in ${sender.place}.`,
      challenge,
    );
  const isSigned = isMissing && recognizeMakers(rawHeaders).length > 0;
  return isSigned ? withoutSignature('the header X-Webhook-Secret', rawHeaders) : new Refusal('unauthorized');
}
