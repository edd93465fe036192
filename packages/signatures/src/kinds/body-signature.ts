import { decodeDigest } from '../encodings.ts';
import type { Algorithm, Encoding, SecretRule, SignatureKind } from '../signature-kind.ts';

interface BodySignature {
  header: string;
  algorithm: Algorithm;
  encoding: Encoding;
  /** Text before the signature in its header. */
  prefix: string;
  secret: SecretRule;
}

/** Returns a kind that signs only the body and so has no time. */
export function bodySignature({ header, algorithm, encoding, prefix, secret }: BodySignature): SignatureKind {
  return {
    algorithm,
    encoding,
    headers: [header],
    readClaim: ([value = '']) => {
      const signature = value.startsWith(prefix)
        ? decodeDigest(value.slice(prefix.length), algorithm, encoding)
        : undefined;
      return signature && { signatures: [signature] };
    },
    messages: ({ body }) => [[body]],
    writeClaim: (signature) => [`${prefix}${signature}`],
    secret,
  };
}
