import type { KeyObject } from 'node:crypto';

export type Algorithm = 'sha1' | 'sha256' | 'sha512';
export type Encoding = 'hex' | 'base64';

/** A request's signature headers as parsed; none of it is verified yet. */
export interface Claim {
  /** Signatures, any of which may be valid: senders that rotate a secret sign with both. */
  signatures: readonly Buffer[];
  /** The timestamp as in the header, which is part of the signed text. */
  timestamp?: string | undefined;
  /** Undefined if the kind has no time. */
  sentAtMs?: number | undefined;
  /** The sender's id of the message, if it is signed too. */
  id?: string | undefined;
}

/** The parts of a request that may be signed. */
export interface SignedRequest {
  /** Bytes as received, without any decoding. */
  body: Buffer;
  /** Method, which is `POST`. */
  method: string;
  /** The URLs that the sender may have posted to: a server behind a proxy does not know its scheme. */
  uris: () => readonly string[];
}

/** A message in pieces, so that the body is not copied. */
export type Message = readonly (string | Buffer)[];

/** A way of signing, by kind of sender. */
export interface SignatureKind {
  algorithm: Algorithm;
  encoding: Encoding;
  /** Lower-case names of the headers, that of the signature first. Each must occur exactly once. */
  headers: readonly [string, ...string[]];
  /** Parses the values of `headers`, in their order; returns undefined if they are not a claim. */
  readClaim(values: readonly string[]): Claim | undefined;
  /** Returns the messages that may have been signed: several only if the request does not say which one was. */
  messages(request: SignedRequest, claim: Claim): readonly Message[];
  /** Returns the header values for a signature, in the order of `headers`, for senders. */
  writeClaim(signature: string, claim: Claim): readonly string[];
  /** Formats the time as the kind does; undefined if it has none. */
  writeTime?: (ms: number) => string;
  secret: SecretRule;
}

export interface SecretRule {
  /** True if the operator may choose it, so that we can generate one; other senders generate it themselves. */
  isOurs: boolean;
  /** Returns the HMAC key; undefined for a text that is no secret of this kind. */
  keyOf(secret: string): KeyObject | undefined;
  /** Rule as a sentence. */
  rule: string;
  /** Generates a secret in the kind's own format; undefined if it uses ours (`relata_whs_…`). */
  make?: () => string;
}
