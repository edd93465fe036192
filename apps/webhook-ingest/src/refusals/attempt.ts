import type { IncomingMessage } from 'node:http';
import { newId } from '@relata/db';
import type { Exchange } from '@relata/http';
import type { NewRefusal } from '@relata/workflows/intake';
import { describeRefusal } from '../refusal.ts';
import type { TriggerSnapshot } from '../triggers/trigger-snapshot.ts';

/** Of a body that was refused. */
const bodyBytesMax = 8_192;
const textCharactersMax = 500;
const declaredBytesMax = 2 ** 31 - 1;

/** A post, and what is known of it if it is refused. A class, as there is one for every request. */
export class Attempt<Post extends IncomingMessage = IncomingMessage> {
  readonly request: Post;
  readonly exchange: Exchange;
  trigger: TriggerSnapshot | undefined = undefined;
  body: Buffer | undefined = undefined;
  /** Hash of what a sender signed without a time. */
  signedHash: string | undefined = undefined;

  constructor(request: Post, exchange: Exchange) {
    this.request = request;
    this.exchange = exchange;
  }

  /** What is kept of a refusal; undefined where no trigger was named, or it is unknown whether the post was stored. */
  refusedBy(error: unknown, ipOf: (request: Post) => string): NewRefusal | undefined {
    const described = describeRefusal(error);
    if (!this.trigger || !described) return undefined;
    const { orgId, id: triggerId } = this.trigger;
    const { status, reason, text, field } = described;
    const isAuthorized = this.exchange.caller !== undefined;
    return {
      orgId,
      id: newId(),
      triggerId,
      refusedAt: new Date(),
      isAuthorized,
      status,
      reason,
      message: text.slice(0, textCharactersMax),
      field: field?.slice(0, textCharactersMax),
      bytes: this.body?.length ?? declaredBytes(this.request),
      address: ipOf(this.request),
      body: isAuthorized && this.body ? firstOf(this.body) : undefined,
    };
  }
}

/** A copy, which does not keep all of it in memory. */
function firstOf(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(Math.min(body.length, bodyBytesMax));
  body.copy(copy);
  return copy;
}

function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const declared = headers['content-length'];
  return declared === undefined ? undefined : Math.min(Number(declared), declaredBytesMax);
}
