import type { Database } from '@relata/db';
import { operatorIn } from '@relata/events';
import { signingSettings } from '@relata/secrets';
import { signatureKindOf, signedHeaders } from '@relata/signatures';
import { createTrigger } from '@relata/workflows';
import type { Kind, Sender } from './kind.ts';

/** A delivery of a client as it is sent once. */
export interface Sending {
  nonce: string;
  body: Buffer;
  /** True if it may be repeated. */
  isKeyed: boolean;
}

/** A trigger to post to. */
export interface Target {
  kind: Kind;
  triggerId: string;
  /** The headers that open it and mark repeats; another signature for each attempt where there is a time in it. */
  headersOf: (sending: Sending) => Record<string, string>;
}

interface TargetPlace {
  database: Database;
  orgId: string;
  signingKeys: string;
}

export function createTarget(place: TargetPlace, kind: Kind): Promise<Target> {
  return kind.sender ? createSigned(place, kind, kind.sender) : createOpened(place, kind);
}

async function createOpened({ database, orgId }: TargetPlace, kind: Kind): Promise<Target> {
  const { trigger, secret } = await createTrigger({ database }, operatorIn(orgId, 'chaos'), { name: kind.name });
  const headersOf = ({ nonce, isKeyed }: Sending) => ({
    'x-webhook-secret': secret!,
    ...(isKeyed && { 'idempotency-key': nonce }),
  });
  return { kind, triggerId: trigger.id, headersOf };
}

async function createSigned({ database, orgId, signingKeys }: TargetPlace, kind: Kind, sender: Sender) {
  const { signature, secret: given, repeatHeader, isForged = false } = sender;
  const keys = signingSettings.SIGNING_KEYS.parse(signingKeys)!;
  const input = { name: kind.name, signature, secret: given };
  const made = await createTrigger({ database }, operatorIn(orgId, 'chaos'), input, keys);
  const secret = (made.secret ?? given)!;
  const headersOf = ({ nonce, body }: Sending) => {
    const signed = isForged ? Buffer.concat([body, Buffer.from(' ')]) : body;
    // Neither of the kinds signs the address or an id of its own.
    const signing = { secret, body: signed, url: '', id: '', nowMs: Date.now() };
    return {
      ...signedHeaders(signatureKindOf(signature), signing),
      ...(repeatHeader !== undefined && { [repeatHeader]: nonce }),
    };
  };
  return { kind, triggerId: made.trigger.id, headersOf };
}
