import { signBody } from '@relata/testbed/site';
import type { Kind, Sender } from './kind.ts';

/** A delivery of a client as it is sent once. */
export interface Sending {
  nonce: string;
  body: Buffer;
  /** True if it may be repeated. */
  isKeyed: boolean;
}

export interface Target {
  kind: Kind;
  triggerId: string;
  /** The headers that authenticate and mark repeats; signed again for each attempt if the signature contains a time. */
  headersOf: (sending: Sending) => Record<string, string>;
}

export function headersFor(secret: string, sender: Sender | undefined): Target['headersOf'] {
  if (!sender)
    return ({ nonce, isKeyed }) => ({ 'x-webhook-secret': secret, ...(isKeyed && { 'idempotency-key': nonce }) });
  const { signature, repeatHeader, isForged = false } = sender;
  return ({ nonce, body }) => ({
    // Neither of the kinds signs the address or an id of its own.
    ...signBody(signature, secret, isForged ? Buffer.concat([body, Buffer.from(' ')]) : body),
    ...(repeatHeader !== undefined && { [repeatHeader]: nonce }),
  });
}
