import {
  repeatKeyOfKind,
  setupOfKind,
  type SetupStep,
  findSignatureKind,
  type SignatureKindName,
  signatureKinds,
} from '@relata/signatures';

/** A kind of sender that signs, described for people who choose one. */
export interface SenderKind {
  kind: SignatureKindName;
  /** True if the sender generates its secret, so that it must be given. */
  makesSecret: boolean;
  /** Rule for a given secret, as a sentence. */
  secretRule: string;
  /** Expression with the same value for every repeat; undefined for `Idempotency-Key` and `webhook-id`. */
  repeatKey: string | undefined;
  /** True if an operator configures how it signs. */
  hasOptions: boolean;
  setup: readonly SetupStep[];
}

export function listSenderKinds(): SenderKind[] {
  return signatureKinds.map((kind) => {
    const { secret } = findSignatureKind(kind === 'hmac' ? anyHmac : { kind });
    const { isOurs, rule: secretRule } = secret;
    const hasOptions = kind === 'hmac';
    const [repeatKey, setup] = [repeatKeyOfKind[kind], setupOfKind[kind]];
    return { kind, makesSecret: !isOurs, secretRule, repeatKey, hasOptions, setup };
  });
}

/** Any options will do: the rule for its secret does not depend on them. */
const anyHmac = {
  kind: 'hmac',
  options: { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', prefix: '', template: '{body}' },
} as const;
