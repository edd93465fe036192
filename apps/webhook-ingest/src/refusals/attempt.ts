import type { IncomingMessage } from 'node:http';
import { newId } from '@relata/db';
import type { Exchange } from '@relata/http';
import type { NewRefusal } from '@relata/workflows/intake';
import { describeRefusal } from '../refusal.ts';
import type { TriggerSnapshot } from '../triggers/trigger-snapshot.ts';

/** Maximum number of bytes stored of a refused body. */
const bodyBytesMax = 8_192;
const textCharactersMax = 500;
const declaredBytesMax = 2 ** 31 - 1;

/** A post, and the facts to store if it is refused. It is a class because there is one per request. */
export class Attempt<Post extends IncomingMessage = IncomingMessage> {
  readonly request: Post;
  readonly exchange: Exchange;
  trigger: TriggerSnapshot | undefined = undefined;
  body: Buffer | undefined = undefined;
  /** Hash of a signed post whose signature covers no time. */
  signedHash: string | undefined = undefined;

  constructor(request: Post, exchange: Exchange) {
    this.request = request;
    this.exchange = exchange;
  }

  /** Returns the refusal to store; undefined if the post named no trigger, or may have been stored. */
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

/** Copies the beginning of a body, so that the rest is not kept in memory. */
function firstOf(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(Math.min(body.length, bodyBytesMax));
  body.copy(copy);
  return copy;
}

function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const declared = headers['content-length'];
  return declared === undefined ? undefined : Math.min(Number(declared), declaredBytesMax);
}
