import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { freeText } from '@relata/schemas';
import {
  ExpressionError,
  filterNames,
  isProblems,
  type Key,
  orThrow,
  type Problem,
  readKey,
} from '@relata/expressions';
import { isKeptHeader, keptHeaders } from '../deliveries/delivery-headers.ts';

/** By what repeats of a delivery are recognized: its SHA-256 in hexadecimal, or why its trigger's repeat key had no value. */
interface Repeat {
  keyHash?: string;
  problem?: string;
}

export type FindRepeat = (headers: IncomingHttpHeaders, payload: unknown) => Repeat;

/** How a trigger recognizes repeats: by its repeat key, else by what the sender marks them with. */
export function compileRepeatKey(source: string | null): FindRepeat {
  return source === null ? markedRepeat : repeatOf(source);
}

/** The key may be of any length. */
function markedRepeat(headers: IncomingHttpHeaders): Repeat {
  const key = headers['idempotency-key'] || headers['webhook-id'];
  return key ? { keyHash: hash('sha256', String(key), 'hex') } : {};
}

function repeatOf(source: string): FindRepeat {
  const keyOf = keyOrFault(source);
  // Most name a field of the body alone, and headers are looked through for each post.
  const readsHeaders = source.includes('delivery');
  return (headers, payload) => {
    try {
      // Headers as long as they were sent: two that begin alike are not one event.
      const key = keyOf({ payload, delivery: { headers: readsHeaders ? keptHeaders(headers, [], Infinity) : {} } });
      return key === undefined ? { problem: 'The value is empty.' } : { keyHash: hashOf(source, key) };
    } catch (error) {
      if (error instanceof ExpressionError) return { problem: error.message };
      throw error;
    }
  };
}

/** Compiles a repeat key. One that this release cannot read throws at each delivery, which is accepted nevertheless. */
function keyOrFault(source: string): Key {
  const read = readKey(source, filterNames);
  return isProblems(read) ? () => orThrow(read) : read;
}

/** With the expression: a value that another one gave before it was changed is no repeat. */
function hashOf(source: string, key: string): string {
  // As JSON, halves of surrogate pairs stay different.
  return hash('sha256', `${source}\0${JSON.stringify(key)}`, 'hex');
}

/** An expression on `payload` and `delivery.headers`. */
export const RepeatKey = freeText(1).superRefine((source, ctx) => {
  const problem = checkRepeatKey(source);
  if (!problem) return;
  const message = [problem.message, problem.hint].filter(Boolean).join(' ');
  ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_format' } });
});

/** A header that the expression names and that no delivery has: the key would never have a value. */
function unkeptHeaderIn(source: string): string | undefined {
  const named = [...source.matchAll(/\bheaders\[\s*(["'])([\w-]+)\1\s*\]/g)].map(([, , name = '']) => name);
  return named.find((name) => !isKeptHeader(name));
}

/** What is wrong with a repeat key, if anything. */
function checkRepeatKey(source: string): Problem | undefined {
  const read = readKey(source, filterNames);
  if (isProblems(read)) return read[0];
  const header = unkeptHeaderIn(source);
  return header === undefined ? undefined : { message: `The header ${header} is not kept with a delivery.` };
}
