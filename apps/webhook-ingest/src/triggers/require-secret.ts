import type { SecretReading } from '@relata/signatures';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal.ts';
import { findSecret, type SnapshotSecret, type TriggerSnapshot } from './trigger-snapshot.ts';

/** Returns the secret that a request carries, where its trigger expects it. Throws Refusal if it opens nothing. */
export function requireSecret(trigger: TriggerSnapshot, request: IncomingMessage): SnapshotSecret {
  const read = readSecret(trigger, request);
  const found = 'secret' in read ? findSecret(trigger.secrets, read.secret) : undefined;
  if (found) return found;
  throw new Refusal('unauthorized');
}

/** Reads the secret: for a sender of a kind where that kind has it, otherwise in `X-Webhook-Secret`. */
function readSecret({ sender }: TriggerSnapshot, { rawHeaders, headers, url = '' }: IncomingMessage): SecretReading {
  if (sender?.way === 'repeats') return sender.kind.read({ rawHeaders, url });
  const secret = sender ? undefined : headers['x-webhook-secret'];
  return typeof secret === 'string' ? { secret } : { fault: 'missing' };
}
