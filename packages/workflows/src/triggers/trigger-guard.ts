import { generateCredential, hashCredential } from '@relata/auth';
import type { Db } from '@relata/db';
import { AppError, validationError } from '@relata/schemas/errors';
import { seal, type SecretKeys } from '@relata/secrets';
import { describeKind, type SignatureSpec } from '@relata/signatures';
import { misfit } from './misfit.ts';
import {
  endSigningSecrets,
  insertSigningSecret,
  removeEndedSigningSecrets,
  signingPlace,
} from './signatures/signing-secret.sql.ts';
import { endTriggerSecrets, insertTriggerSecret } from './trigger-secret.sql.ts';

export interface ChosenSecret {
  secret: string;
  /** True if it was generated here, so that it must be shown. */
  isMade: boolean;
}

/** How one kind of trigger chooses and stores its secrets. */
interface TriggerGuard {
  /** Returns the given secret or a new one. Throws `validation_error`, which does not quote the given secret. */
  choose(given: string | undefined, follows?: boolean): ChosenSecret;
  add(db: Db, orgId: string, id: string, secret: string): Promise<void>;
  /** Ends the valid secrets after the overlap; returns when the last of them ends. */
  end(db: Db, orgId: string, id: string, overlapMs: number): Promise<string | null>;
}

/** A signature is compared with each valid secret, so they must stay few. */
const validSecretsMax = 5;

/** Returns the guard of a trigger. Throws `conflict` if its sender signs and there are no keys to encrypt with. */
export function createTriggerGuard(
  signature: SignatureSpec | null | undefined,
  keys: SecretKeys | undefined,
): TriggerGuard {
  if (!signature) return ownSecret;
  if (!keys) throw new AppError('conflict', 'The secret of a signing sender cannot be stored. Set SIGNING_KEYS.');
  return signingSecret(signature, keys);
}

const ownSecret: TriggerGuard = {
  choose(given) {
    if (given !== undefined) throw misfit('secret', 'Can be used only with a sender that signs.');
    return { secret: generateCredential('trigger'), isMade: true };
  },
  add: (db, orgId, id, secret) =>
    insertTriggerSecret(db, orgId, id, { hash: hashCredential(secret), lastFour: secret.slice(-4) }),
  end: endTriggerSecrets,
};

const signingSecret = (spec: SignatureSpec, keys: SecretKeys): TriggerGuard => ({
  choose(given, follows = false) {
    const { keyOf, rule, isOurs, make, mistakes } = describeKind(spec.kind).secret;
    const [, mistake] = mistakes.find(([form]) => given !== undefined && form.test(given)) ?? [];
    if (mistake !== undefined)
      throw misfit('secret', `Is ${mistake}, not the secret that this kind of sender signs with.`);
    if (given !== undefined && !keyOf(given)) throw misfit('secret', rule);
    if (given !== undefined) return { secret: given, isMade: false };
    if (isOurs) return { secret: make?.() ?? generateCredential('trigger'), isMade: true };
    // A placeholder that nobody knows, until the sender's own secret replaces it.
    if (follows) return { secret: generateCredential('trigger'), isMade: false };
    const message = `Is required, because senders of the kind ${spec.kind} create the secret themselves.`;
    throw validationError([{ in: 'body', field: 'secret', code: 'required', message }]);
  },
  add: (db, orgId, id, secret) => insertSigningSecret(db, orgId, id, seal(keys, signingPlace(orgId, id), secret)),
  async end(db, orgId, id, overlapMs) {
    const { lastEnd, valid } = await endSigningSecrets(db, orgId, id, overlapMs);
    await removeEndedSigningSecrets(db, orgId, id);
    if (valid < validSecretsMax) return lastEnd;
    throw new AppError(
      'conflict',
      `The trigger ${id} has ${valid} valid secrets already. Rotate it without an overlap.`,
    );
  },
});
