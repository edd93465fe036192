import type { KeyObject } from 'node:crypto';

export type Algorithm = 'sha1' | 'sha256' | 'sha512';
export type Encoding = 'hex' | 'base64';

/** What the headers of a request say of its signature; nothing of it is known to be true yet. */
export interface Claim {
  /** Any one of them may be right: senders that rotate a secret sign with both. */
  signatures: readonly Buffer[];
  /** The header's own text, which is a part of what is signed. */
  timestamp?: string | undefined;
  /** Undefined where the kind has no time. */
  sentAtMs?: number | undefined;
  /** The sender's id of the message, where it is signed too. */
  id?: string | undefined;
}

/** A request as far as it may be signed. */
export interface SignedRequest {
  /** The bytes as they came: nothing has been decoded. */
  body: Buffer;
  /** `POST`. */
  method: string;
  /** The addresses that the sender may have posted to: what is behind a proxy does not know its scheme. */
  uris: () => readonly string[];
}

/** A message in pieces, so that the body is not copied. */
export type Message = readonly (string | Buffer)[];

/** How one kind of sender signs. */
export interface SignatureKind {
  algorithm: Algorithm;
  encoding: Encoding;
  /** In small letters, the signature's first. Each has to be there, and once. */
  headers: readonly [string, ...string[]];
  /** The claim that these headers make, in the order of `headers`; undefined for what is none. */
  readClaim(values: readonly string[]): Claim | undefined;
  /** What may have been signed. Several only where the request does not say which it was. */
  messages(request: SignedRequest, claim: Claim): readonly Message[];
  /** The headers of a signature, in the order of `headers`; for those who send. */
  writeClaim(signature: string, claim: Claim): readonly string[];
  /** The time as the kind writes it; undefined where it has none. */
  writeTime?: (ms: number) => string;
  secret: SecretRule;
}

/** What a sender's secret looks like. */
export interface SecretRule {
  /** True where the operator may choose it, so that we can make one; the other senders make it. */
  isOurs: boolean;
  /** The key of the HMAC; undefined for a text that is no secret of this kind. */
  keyOf(secret: string): KeyObject | undefined;
  /** What a secret has to be, as a sentence. */
  rule: string;
  /** Makes one of a form of the kind's own; unless given it is one of ours (`relata_whs_…`). */
  make?: () => string;
}
