export type Algorithm = 'sha1' | 'sha256' | 'sha512';
export type Encoding = 'hex' | 'base64';

/** Parsed signature headers of a request, which are not verified yet. */
export interface ParsedSignature {
  /** Signatures; one valid signature is enough, since senders that rotate a secret sign with both secrets. */
  signatures: readonly Buffer[];
  /** The timestamp as in the header. It is part of the signed string. */
  timestamp?: string | undefined;
  /** Undefined if the signature of this kind has no timestamp. */
  sentAtMs?: number | undefined;
  /** The sender's id of the message, if it is signed too. */
  id?: string | undefined;
}

/** The parts of a request that may be signed. */
export interface SignedRequest {
  /** Bytes as received, without any decoding. */
  body: Buffer;
  /**
   * The URLs that the sender may have posted to: a server behind a proxy does not know whether the sender used https.
   */
  uris: () => readonly string[];
}

/** A message in pieces, so that a large body is not copied. */
export type Message = readonly (string | Buffer)[];

export type HeaderFamily = readonly [string, ...string[]];

/** How a sender signs. */
export interface SignatureScheme {
  proof: 'signature';
  algorithm: Algorithm;
  encoding: Encoding;
  /**
   * Lower-case names of the headers, the signature header first. Each must occur exactly once. There are several
   * families if senders name the same headers differently; the first complete family counts.
   */
  families: readonly [HeaderFamily, ...HeaderFamily[]];
  /** Parses the values of a family, in its order; returns undefined if they are malformed. */
  parseSignature(values: readonly string[]): ParsedSignature | undefined;
  /** Returns the messages that may have been signed: more than one if the request does not say which. */
  messages(request: SignedRequest, parsed: ParsedSignature): readonly Message[];
  /** Returns the header values that a sender writes for a signature, in the order of the first family. */
  formatSignature(signature: string, parsed: ParsedSignature): readonly string[];
  /** Formats the timestamp as this kind does; undefined if its signature has no timestamp. */
  writeTime?: (ms: number) => string;
}
