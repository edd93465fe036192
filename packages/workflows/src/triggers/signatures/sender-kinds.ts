import { describeKind, type SetupStep, type SignatureKindName, signatureKinds } from '@relata/signatures';

/** A kind of sender that signs, described for people who choose one. */
export interface SenderKind {
  kind: SignatureKindName;
  /** True if the sender generates its secret, so that it must be given. */
  makesSecret: boolean;
  /** Rule for a given secret, as a sentence. */
  secretRule: string;
  /** Expression with the same value for every repeat; null for `Idempotency-Key` and `webhook-id`. */
  repeatKey: string | null;
  /** True if an operator configures how it signs. */
  hasOptions: boolean;
  setup: readonly SetupStep[];
}

export function listSenderKinds(): SenderKind[] {
  return signatureKinds.map((kind) => {
    const { secret, repeatKey, setup, optionTexts } = describeKind(kind);
    const hasOptions = optionTexts !== undefined;
    return { kind, makesSecret: !secret.isOurs, secretRule: secret.rule, repeatKey, hasOptions, setup };
  });
}
