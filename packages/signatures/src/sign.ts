import { createHmac } from 'node:crypto';
import type { SenderKind } from './kind.ts';

export interface Signing {
  secret: string;
  body: Buffer;
  /** Full URL of the post. */
  url: string;
  /** The sender's id of the message, for kinds that have one. */
  id: string;
  nowMs: number;
}

/** Returns the headers and the URL with which a sender of this kind posts a body. */
export function signPost(kind: SenderKind, { secret, body, url, id, nowMs }: Signing) {
  if (kind.proof === 'secret') return kind.write(secret, url);
  const key = kind.secret.keyOf(secret);
  if (!key) throw new TypeError('The secret does not have the format of this kind of sender.');
  const parsed = { signatures: [], id, timestamp: kind.writeTime?.(nowMs) };
  const [message] = kind.messages({ uris: () => [url], body }, parsed);
  const made = createHmac(kind.algorithm, key);
  for (const piece of message!) made.update(piece);
  const values = kind.formatSignature(made.digest(kind.encoding), parsed);
  return { url, headers: Object.fromEntries(kind.families[0].map((name, at) => [name, values[at]!])) };
}
