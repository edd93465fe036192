import type { KeyObject } from 'node:crypto';
import { type SecretKeys, unseal } from '@relata/secrets';
import { type SenderKind, type SignatureKindName, findSignatureKind } from '@relata/signatures';
import { signingPlace, type TriggerSnapshotRow } from '@relata/workflows/intake';

/** A sender's decrypted secret. */
export interface SigningSecret {
  key: KeyObject;
  expiresAtMs: number;
}

/** Signature settings of a trigger's sender, ready for verification. */
export interface SignedSender {
  name: SignatureKindName;
  kind: SenderKind;
  /** Lower-case names of the headers that are verified, that of the signature first. */
  headers: readonly string[];
  /** The headers on which an answer depends, joined once. */
  vary: string;
  secrets: readonly SigningSecret[];
  /** False if a secret could not be decrypted: a signature that matches no other secret may still be right. */
  isWhole: boolean;
}

/** Returns undefined for a trigger with a secret in a header. A secret that no key decrypts is left out. */
export function compileSender(
  row: TriggerSnapshotRow,
  keys: SecretKeys | undefined,
  onFault: (error: unknown) => void,
): SignedSender | undefined {
  const { signature, signing_secrets: stored, org_id: orgId, id } = row;
  if (!signature) return undefined;
  const kind = findSignatureKind(signature);
  const sealed = stored ?? [];
  const secrets = sealed.flatMap(({ key_id, ciphertext, expires_at }) => {
    const secret =
      keys && unseal(keys, signingPlace(orgId, id), { key_id, ciphertext: Buffer.from(ciphertext, 'hex') });
    const key = secret === undefined ? undefined : kind.secret.keyOf(secret);
    return key ? [{ key, expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at) }] : [];
  });
  const isWhole = secrets.length === sealed.length;
  if (!isWhole) onFault(new Error(`A secret of the sender of trigger ${id} cannot be decrypted: see SIGNING_KEYS.`));
  const headers = kind.families.flat();
  return { name: signature.kind, kind, headers, vary: headers.join(', '), secrets, isWhole };
}

export function validSecrets({ secrets }: SignedSender): SigningSecret[] {
  const now = Date.now();
  return secrets.filter(({ expiresAtMs }) => expiresAtMs > now);
}
