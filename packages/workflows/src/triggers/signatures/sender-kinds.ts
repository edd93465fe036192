import {
  repeatKeyOfKind,
  setupOfKind,
  type SetupStep,
  signatureKindOf,
  type SignatureKindName,
  signatureKinds,
} from '@relata/signatures';

/** A kind of sender that signs, for people who choose one. */
export interface SenderKind {
  kind: SignatureKindName;
  /** Whether the sender makes its secret, so that it has to be given. */
  makesSecret: boolean;
  /** What a secret that is given has to be, as a sentence. */
  secretRule: string;
  /** The expression whose value is the same for every repeat; undefined: `Idempotency-Key` and `webhook-id`. */
  repeatKey: string | undefined;
  /** Whether an operator says how it signs. */
  hasOptions: boolean;
  /** How the sender is set up. */
  setup: readonly SetupStep[];
}

/** All kinds of senders that sign. */
export function listSenderKinds(): SenderKind[] {
  return signatureKinds.map((kind) => {
    const { secret } = signatureKindOf(kind === 'hmac' ? anyHmac : { kind });
    const { isOurs, rule: secretRule } = secret;
    const hasOptions = kind === 'hmac';
    const [repeatKey, setup] = [repeatKeyOfKind[kind], setupOfKind[kind]];
    return { kind, makesSecret: !isOurs, secretRule, repeatKey, hasOptions, setup };
  });
}

/** Its secret is the same whatever its options are. */
const anyHmac = {
  kind: 'hmac',
  options: { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', prefix: '', template: '{body}' },
} as const;
