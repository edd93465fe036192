import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { longText } from '@relata/schemas';
import type { SignatureKindName } from '@relata/signatures';
import {
  ExpressionError,
  filterNames,
  isProblems,
  type Key,
  orThrow,
  type ExpressionProblem,
  readKey,
} from '@relata/expressions';
import { isKeptHeader, keptHeaders, unbounded } from '../deliveries/delivery-headers.ts';

/** SHA-256 of the repeat key of a delivery in hexadecimal, or the reason why the key had no value. */
interface Repeat {
  keyHash?: string;
  problem?: string;
}

export type FindRepeat = (headers: IncomingHttpHeaders, payload: unknown) => Repeat;

/** Headers by which repeats are recognized without a repeat key. The first header that is present counts. */
const marks = ['idempotency-key', 'webhook-id'];

/**
 * Headers of the kind `standard-webhooks`. The signed ids come first. Otherwise an attacker could replay a captured
 * post as a new delivery, with another `Idempotency-Key`, which is not signed.
 */
const signedMarks = ['webhook-id', 'svix-id', 'idempotency-key'];

/**
 * Returns a function that recognizes repeats by the trigger's repeat key, or else by a header. A trigger of the kind
 * `standard-webhooks` has no repeat key if it was created before the kind had one, or if an operator removed it.
 */
export function compileRepeatKey(source: string | null, kind?: SignatureKindName): FindRepeat {
  if (source !== null) return repeatOf(source);
  const names = kind === 'standard-webhooks' ? signedMarks : marks;
  return (headers) => markedRepeat(headers, names);
}

/** Hashes the key that the sender gave, which may have any length. */
function markedRepeat(headers: IncomingHttpHeaders, names: readonly string[]): Repeat {
  const key = names.map((name) => headers[name]).find(Boolean);
  return key ? { keyHash: hash('sha256', String(key), 'hex') } : {};
}

function repeatOf(source: string): FindRepeat {
  const read = readKey(source, filterNames);
  // A key that this release cannot read throws for each delivery, which is accepted nevertheless.
  const keyOf: Key = isProblems(read) ? () => orThrow(read) : read;
  const repeatBy = (payload: unknown, headers: Record<string, string>): Repeat => {
    try {
      const key = keyOf({ payload, delivery: { headers } });
      return key === undefined ? emptyKey : { keyHash: hashOf(source, key) };
    } catch (error) {
      if (error instanceof ExpressionError) return { problem: error.message };
      throw error;
    }
  };
  // Many keys read only the body, and collecting headers would cost time for each post.
  const readsHeaders = source.includes('delivery');
  // Long headers are not truncated here: two values with the same beginning may belong to different events. Nor does
  // the number of headers matter: otherwise, an attacker could replay a captured post with many more of them.
  return (headers, payload) => repeatBy(payload, readsHeaders ? keptHeaders(headers, [], unbounded) : {});
}

const emptyKey: Repeat = { problem: 'The value is empty.' };

/** Hashes a key together with its expression, so that an equal value of an earlier expression is not a repeat. */
function hashOf(source: string, key: string): string {
  // JSON escapes unpaired surrogates. In UTF-8, all of them would become the same character.
  return hash('sha256', `${source}\0${JSON.stringify(key)}`, 'hex');
}

/** An expression on `payload` and `delivery.headers`. */
export const RepeatKey = longText(1).superRefine((source, ctx) => {
  const problem = checkRepeatKey(source);
  if (!problem) return;
  const message = [problem.message, problem.hint].filter(Boolean).join(' ');
  ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_format' } });
});

/** Returns a header that the expression names but no stored delivery has, so that the key would never have a value. */
function unkeptHeaderIn(source: string): string | undefined {
  const named = [...source.matchAll(/\bheaders\[\s*(["'])([\w-]+)\1\s*\]/g)].map(([, , name = '']) => name);
  return named.find((name) => !isKeptHeader(name));
}

function checkRepeatKey(source: string): ExpressionProblem | undefined {
  const read = readKey(source, filterNames);
  if (isProblems(read)) return read[0];
  const header = unkeptHeaderIn(source);
  return header === undefined ? undefined : { message: `The header ${header} is not stored with a delivery.` };
}
