import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ErrorDetail } from '@relata/schemas/errors';
import { orderedJson } from './ordered-json.ts';

const bare = /^[\x21\x23-\x7e][\x21-\x7e]{0,254}$/;
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,510})"$/;
const visible = /^[\x21-\x7e]{1,255}$/;

/** Returns the value of `Idempotency-Key`, which may be a quoted string; undefined without the header. */
export function readIdempotencyKey(request: IncomingMessage): string | ErrorDetail | undefined {
  const given = request.headersDistinct['idempotency-key'];
  if (given === undefined) return undefined;
  const [text = '', ...more] = given;
  const value = more.length > 0 ? undefined : unwrapped(text.trim());
  return value ?? problem;
}

function unwrapped(text: string): string | undefined {
  if (bare.test(text)) return text;
  const value = quoted.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1');
  return value !== undefined && visible.test(value) ? value : undefined;
}

const problem: ErrorDetail = {
  in: 'header',
  field: 'Idempotency-Key',
  code: 'invalid_format',
  message: 'Must be one value of 1 to 255 visible ASCII characters.',
};

const sha256 = (text: string) => createHash('sha256').update(text).digest();

export const hashOfName = (name: string): Buffer => sha256(name);

/** Returns a hash that is equal for equal requests; white space and the order of members are ignored. */
export function hashOfRequest(operation: string, params: unknown, query: unknown, body: unknown) {
  const text = orderedJson([operation, params, query, body]);
  return { hash: sha256(text), characters: text.length };
}
