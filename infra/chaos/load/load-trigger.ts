import { signBody } from '@relata/testbed/fixtures';
import type { Kind, Sender } from './kind.ts';

export interface Sending {
  nonce: string;
  body: Buffer;
  /** True if the delivery can be repeated safely. */
  isKeyed: boolean;
}

export interface LoadTrigger {
  kind: Kind;
  triggerId: string;
  /** Returns the headers that authenticate a post and identify its repeats. Signing senders sign again at each call. */
  headersOf: (sending: Sending) => Record<string, string>;
}

export function headersFor(secret: string, sender: Sender | undefined): LoadTrigger['headersOf'] {
  if (!sender)
    return ({ nonce, isKeyed }) => ({ 'x-webhook-secret': secret, ...(isKeyed && { 'idempotency-key': nonce }) });
  const { signature, repeatHeader, isForged = false } = sender;
  return ({ nonce, body }) => ({
    // GitHub and Stripe sign neither the URL nor a separate id.
    ...signBody(signature, secret, isForged ? Buffer.concat([body, Buffer.from(' ')]) : body),
    ...(repeatHeader !== undefined && { [repeatHeader]: nonce }),
  });
}
