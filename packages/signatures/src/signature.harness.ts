import { parseSignature, verifySignature } from './verify.ts';
import type { SignedKind } from './kind.ts';

export interface Vector {
  kind: SignedKind;
  /** Secret, or several that are valid at the same time. */
  secret: string | readonly string[];
  headers: Record<string, string>;
  body: string | Buffer;
  nowMs: number;
  uris?: readonly string[];
  /** Headers that are repeated after the others. */
  again?: Record<string, string>;
}

/** Returns true if the receiver would accept the post. */
export function opens({ kind, secret, headers, again = {}, body, nowMs, uris = [] }: Vector): boolean {
  const keys = [secret].flat().map((text) => kind.secret.keyOf(text)!);
  const rawHeaders = [...Object.entries(headers), ...Object.entries(again)].flat();
  const read = parseSignature(kind, rawHeaders, nowMs);
  if ('fault' in read) return false;
  const request = { body: Buffer.from(body), uris: () => uris };
  return verifySignature(kind, keys, read.parsed, request) !== undefined;
}
