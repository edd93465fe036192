import { generateCredential } from '@relata/auth';
import { AppError, validationError } from '@relata/schemas/errors';
import { type SealedValue, type SecretKeys, unseal, whyUnreadable } from '@relata/secrets';
import { signatureKindOf, type SignatureSpec } from '@relata/signatures';
import { signingPlace } from './signing-secret.sql.ts';

/** A sender's secret, and whether it was made here and so has to be shown. */
export interface ChosenSecret {
  secret: string;
  isMade: boolean;
}

/**
 * Chooses the secret that was given, else a new one if the sender takes one of ours. If the sender's own secret follows,
 * nobody knows the secret until then. Throws an AppError that quotes none.
 */
export function chooseSecret(spec: SignatureSpec, given: string | undefined, follows = false): ChosenSecret {
  const { keyOf, rule, isOurs, make } = signatureKindOf(spec).secret;
  if (given === undefined) {
    if (!isOurs && follows) return { secret: generateCredential('trigger'), isMade: false };
    if (!isOurs)
      throw atSecret('required', `Must be given: the secret of a sender of the kind ${spec.kind} is its own.`);
    return { secret: make?.() ?? generateCredential('trigger'), isMade: true };
  }
  if (!keyOf(given)) throw atSecret('invalid_format', rule);
  return { secret: given, isMade: false };
}

const atSecret = (code: 'required' | 'invalid_format', message: string) =>
  validationError([{ in: 'body', field: 'secret', code, message }]);

/** A sender's secret in clear; throws `conflict` where no key reads it. */
export function openSigningSecret(keys: SecretKeys, orgId: string, triggerId: string, sealed: SealedValue): string {
  const secret = unseal(keys, signingPlace(orgId, triggerId), sealed);
  if (secret !== undefined) return secret;
  throw new AppError(
    'conflict',
    `A secret of the trigger ${triggerId} ${whyUnreadable(keys, sealed, 'SIGNING_KEYS')}.`,
  );
}
