import { createHmac, hash, type KeyObject } from 'node:crypto';
import { digestBytes } from './encodings.ts';
import type { Algorithm, Message } from './scheme.ts';

/** Bytes that the hash functions process at a time. */
const blockBytes: Record<Algorithm, number> = { sha1: 64, sha256: 64, sha512: 128 };

/** Longest message that is copied. Hashing a longer one takes many times as long as `createHmac` needs to begin. */
const copiedBytesMax = 65_536;

/** Room for a block with the key and the message behind it. */
const room = Buffer.allocUnsafeSlow(blockBytes.sha512 + copiedBytesMax);

interface Pads {
  algorithm: Algorithm;
  inner: Buffer;
  /** With room for a digest behind it. */
  outer: Buffer;
}

const padsByKey = new WeakMap<KeyObject, Pads>();

/**
 * Returns the HMAC of a message (RFC 2104). A short message is hashed by two calls of `hash`, because the objects that
 * `createHmac` makes took a tenth of the receiver's time for each post.
 */
export function hmacOf(algorithm: Algorithm, key: KeyObject, message: Message): Buffer {
  const bytes = message.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  if (bytes > copiedBytesMax) {
    const made = createHmac(algorithm, key);
    for (const piece of message) made.update(piece);
    return made.digest();
  }
  const { inner, outer } = padsOf(algorithm, key);
  let end = inner.copy(room);
  for (const piece of message) end += typeof piece === 'string' ? room.write(piece, end) : piece.copy(room, end);
  outer.write(hash(algorithm, room.subarray(0, end), 'binary'), inner.length, 'binary');
  return Buffer.from(hash(algorithm, outer, 'binary'), 'binary');
}

function padsOf(algorithm: Algorithm, key: KeyObject): Pads {
  const known = padsByKey.get(key);
  if (known?.algorithm === algorithm) return known;
  const size = blockBytes[algorithm];
  const given = key.export();
  const secret = given.length > size ? hash(algorithm, given, 'buffer') : given;
  const inner = Buffer.alloc(size, 0x36);
  const outer = Buffer.alloc(size + digestBytes[algorithm], 0x5c);
  for (const [at, byte] of secret.entries()) {
    inner[at]! ^= byte;
    outer[at]! ^= byte;
  }
  const pads = { algorithm, inner, outer };
  padsByKey.set(key, pads);
  return pads;
}
