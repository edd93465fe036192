import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefixes by which people and secret scanners recognize the kind of a credential. */
export const prefixes = {
  secret: 'relata_sk_',
  publishable: 'relata_pk_',
  trigger: 'relata_whs_',
  link: 'relata_lnk_',
} as const;

export type CredentialKind = keyof typeof prefixes;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 32; // 190 bits
const checkCharacters = 6;
const pattern = /^(relata_(?:sk|pk|whs|lnk)_)([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** Generates a credential: a prefix, 190 random bits, and a CRC-32 of both, which reveals a typo without a look-up. */
export function generateCredential(kind: CredentialKind): string {
  const body = prefixes[kind] + randomText(randomCharacters);
  return body + checksum(body);
}

/** Returns random text. Bytes from 248 on are dropped, so that all 62 characters are equally likely. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < checkCharacters; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Returns true if a text has the form and the checksum of a credential. */
export function isWellFormed(text: string): boolean {
  const match = pattern.exec(text);
  return match !== null && checksum(match[1]! + match[2]!) === match[3];
}

/** Returns the hash under which a credential is stored and looked up: SHA-256 in hexadecimal. */
export function hashCredential(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Compares two hashes in hexadecimal in constant time. */
export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
}
