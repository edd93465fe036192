import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { newId } from '@relata/db';
import type { Exchange } from '@relata/http';
import { keptHeaders, type NewRefusal } from '@relata/workflows/intake';
import { describeRefusal } from '../refusal.ts';
import type { TriggerSnapshot } from '../triggers/trigger-snapshot.ts';

/** Bytes kept of a refused body that cannot be replayed, and maximum size of a body that is kept whole for a replay. */
const beginningBytes = 8_192;
const wholeBytesMax = 524_288;
const textCharactersMax = 500;
const declaredBytesMax = 2 ** 31 - 1;

/** A post, and the data to store if it is refused. It is a class, which is cheap to create for each request. */
export class Post {
  readonly request: IncomingMessage;
  readonly exchange: Exchange;
  trigger: TriggerSnapshot | undefined = undefined;
  body: Buffer | undefined = undefined;
  /** Hash that identifies a copy of a signed post; undefined without a signature, or with a signed timestamp. */
  signedHash: string | undefined = undefined;
  signedWith: KeyObject | undefined = undefined;

  constructor(request: IncomingMessage, exchange: Exchange) {
    this.request = request;
    this.exchange = exchange;
  }

  /** Returns the refusal to store; undefined if the post is for no known trigger, or may have been stored. */
  refusedBy(error: unknown, ipOf: (request: IncomingMessage) => string): NewRefusal | undefined {
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
      headers: isAuthorized ? keptHeaders(this.request.headers, this.trigger.sender?.headers) : undefined,
      body: isAuthorized && this.body ? keptOf(this.body, status) : undefined,
    };
  }
}

/**
 * Returns the whole body if it was refused with 400 and has at most 512 KB, so that it can be replayed; otherwise only
 * its beginning.
 */
function keptOf(body: Buffer, status: number): Buffer {
  return status === 400 && body.length <= wholeBytesMax ? body : copyBeginning(body);
}

/** Copies the beginning of a body, so that the rest is not kept in memory. */
export function copyBeginning(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(Math.min(body.length, beginningBytes));
  body.copy(copy);
  return copy;
}

function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const declared = headers['content-length'];
  return declared === undefined ? undefined : Math.min(Number(declared), declaredBytesMax);
}
