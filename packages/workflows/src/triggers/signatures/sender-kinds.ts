import {
  describeKind,
  findSignatureKind,
  type KindOption,
  listOptions,
  type SetupStep,
  type SignatureKindName,
  signatureKinds,
  type SignatureSpec,
} from '@relata/signatures';

/** A kind of sender, described for people who choose between kinds. */
export interface SenderKind {
  kind: SignatureKindName;
  /** Name of the sender as people write it. */
  maker: string;
  /** The maker's documentation. */
  page: string;
  /** False if the sender sends the secret itself with each post; then no `SIGNING_KEYS` are needed. */
  isSigned: boolean;
  /** Risk that the operator takes with a sender that does not sign; null for the others. */
  warning: string | null;
  /** True if the sender generates the secret, so that the operator must enter it. */
  makesSecret: boolean;
  /** Rule for a given secret, as a sentence. */
  secretRule: string;
  /** True if the maker checks the URL with a verify token, which is shown once like the secret. */
  hasVerifyToken: boolean;
  /** Expression with the same value for every repeat; null to use the headers `Idempotency-Key` and `webhook-id`. */
  repeatKey: string | null;
  /** Options for how the sender authenticates. */
  options: readonly KindOption[];
  setup: readonly SetupStep[];
}

export function listSenderKinds(): SenderKind[] {
  return signatureKinds.map((kind) => {
    const { page, warning = null, secret, challenge, repeatKey, setup } = describeKind(kind);
    const hasVerifyToken = challenge?.by === 'get';
    const shown = { page, warning, secretRule: secret.rule, hasVerifyToken, repeatKey, setup };
    return { kind, ...nameSender({ kind }), ...shown, options: listOptions(kind) };
  });
}

/**
 * Returns the name of the sender, and how it authenticates. Handles unknown kinds, since a newer release may have
 * created the trigger.
 */
export function nameSender({
  kind,
}: Pick<SignatureSpec, 'kind'>): Pick<SenderKind, 'maker' | 'isSigned' | 'makesSecret'> {
  if (!signatureKinds.includes(kind)) return { maker: kind, isSigned: true, makesSecret: true };
  const { maker, proof, secret } = describeKind(kind);
  return { maker, isSigned: proof === 'signature', makesSecret: !secret.isOurs };
}

/** A post that contains the secret itself. */
export interface CarryingPost {
  url: string;
  headers: Record<string, string>;
}

/** Returns the URL and headers with which a sender posts its secret; undefined for a sender that signs. */
export function carrySecret(spec: SignatureSpec, secret: string, url: string): CarryingPost | undefined {
  const kind = findSignatureKind(spec);
  return kind.proof === 'secret' ? kind.write(secret, url) : undefined;
}
