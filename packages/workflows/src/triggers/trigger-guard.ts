import { generateCredential, hashCredential } from '@relata/auth';
import type { Db } from '@relata/db';
import { AppError, validationError } from '@relata/schemas/errors';
import { seal, type EncryptionKeys } from '@relata/secrets';
import { describeKind, type SignatureSpec, signatureKinds } from '@relata/signatures';
import { invalidField } from './invalid-field.ts';
import { endSigningSecrets, insertSigningSecret, signingSealContext } from './signatures/signing-secret.sql.ts';
import { type EndedSecrets, endTriggerSecrets, insertTriggerSecret } from './trigger-secret.sql.ts';

export interface ChosenSecret {
  secret: string;
  /** True if the secret was generated here, so that it must be shown. */
  isMade: boolean;
  /** The last characters of the secret, to show; null if the secret is too short or a placeholder. */
  lastFour: string | null;
}

/** How one kind of trigger chooses and stores its secrets. */
interface TriggerGuard {
  /** Returns the given secret or a new one. Throws `validation_error`, which does not quote the given secret. */
  choose(given: string | undefined, follows?: boolean): ChosenSecret;
  add(db: Db, orgId: string, id: string, chosen: ChosenSecret): Promise<void>;
  /**
   * Makes the valid secrets expire after the overlap. Returns the last expiry; null if there was no secret. Throws
   * `conflict` if too many would remain valid until then.
   */
  end(db: Db, orgId: string, id: string, overlapMs: number): Promise<string | null>;
}

/** Maximum number of valid secrets of a trigger. Each delivery is compared with all of them. */
const validSecretsMax = 5;

/** Returns true if the secrets of this kind must be stored encrypted, which needs `SIGNING_KEYS`. */
export function needsSigningKeys(kind: string): boolean {
  return signatureKinds.some((name) => name === kind && describeKind(name).proof === 'signature');
}

/** Returns the guard of a trigger. Throws `conflict` if its sender signs and there are no keys to encrypt with. */
export function createTriggerGuard(
  signature: SignatureSpec | null | undefined,
  keys: EncryptionKeys | undefined,
): TriggerGuard {
  if (!signature) return ownSecret;
  if (!needsSigningKeys(signature.kind)) return { ...hashed, choose: (...given) => chooseOfKind(signature, ...given) };
  if (!keys) throw new AppError('conflict', 'The secret of a signing sender cannot be stored. Set SIGNING_KEYS.');
  return signingSecret(signature, keys);
}

/** Stores only a hash of the secret, because the sender sends the secret itself. */
const hashed: Omit<TriggerGuard, 'choose'> = {
  add: (db, orgId, id, { secret, lastFour }) =>
    insertTriggerSecret(db, orgId, id, { hash: hashCredential(secret), lastFour: lastFour! }),
  end: async (db, orgId, id, overlapMs) => requireRoom(id, await endTriggerSecrets(db, orgId, id, overlapMs)),
};

const ownSecret: TriggerGuard = {
  ...hashed,
  choose(given) {
    if (given !== undefined) throw invalidField('secret', 'Can be used only if the trigger has a kind of sender.');
    return made(generateCredential('trigger'));
  },
};

function chooseOfKind({ kind }: SignatureSpec, given: string | undefined, follows = false): ChosenSecret {
  const { keyOf, rule, isOurs, make, mistakes } = describeKind(kind).secret;
  if (given !== undefined) {
    const [, mistake] = mistakes.find(([form]) => form.test(given)) ?? [];
    if (mistake !== undefined)
      throw invalidField('secret', `Is ${mistake}, not the secret that this sender signs with.`);
    if (!keyOf(given)) throw invalidField('secret', rule);
    return { secret: given, isMade: false, lastFour: lastFourOf(given) };
  }
  if (isOurs) return made(make?.() ?? generateCredential('trigger'));
  // A placeholder that nobody knows, until the sender's own secret replaces it.
  if (follows) return { secret: generateCredential('trigger'), isMade: false, lastFour: null };
  const message = `Is required, because senders of the kind ${kind} create the secret themselves.`;
  throw validationError([{ in: 'body', field: 'secret', code: 'required', message }]);
}

const made = (secret: string): ChosenSecret => ({ secret, isMade: true, lastFour: secret.slice(-4) });

/** Shortest secret whose last four characters may be shown. */
const shownFromCharacters = 16;

const lastFourOf = (secret: string) => (secret.length < shownFromCharacters ? null : secret.slice(-4));

const signingSecret = (spec: SignatureSpec, keys: EncryptionKeys): TriggerGuard => ({
  choose: (...given) => chooseOfKind(spec, ...given),
  add: (db, orgId, id, { secret, lastFour }) =>
    insertSigningSecret(db, orgId, id, { ...seal(keys, signingSealContext(orgId, id), secret), lastFour }),
  end: async (db, orgId, id, overlapMs) => requireRoom(id, await endSigningSecrets(db, orgId, id, overlapMs)),
});

function requireRoom(id: string, { last_end: lastEnd, valid }: EndedSecrets): string | null {
  if (valid < validSecretsMax) return lastEnd;
  throw new AppError('conflict', `The trigger ${id} has ${valid} valid secrets already. Rotate without an overlap.`);
}
