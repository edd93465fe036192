import type { KeyObject } from 'node:crypto';
import { type SecretKeys, unseal } from '@relata/secrets';
import { type SignatureKind, type SignatureKindName, signatureKindOf } from '@relata/signatures';
import { signingPlace, type TriggerSnapshotRow } from '@relata/workflows/intake';

/** How a trigger's sender signs, ready to be verified. */
export interface SignedSender {
  name: SignatureKindName;
  kind: SignatureKind;
  /** The headers that an answer depends on, joined once. */
  vary: string;
  secrets: readonly { key: KeyObject; expiresAtMs: number }[];
  /** False where a secret could not be decrypted: a signature that fits none of the others may be right. */
  isWhole: boolean;
}

/** Undefined for a trigger that is opened by a secret in a header. A secret that no key reads is one that is not there. */
export function compileSender(
  row: TriggerSnapshotRow,
  keys: SecretKeys | undefined,
  onFault: (error: unknown) => void,
): SignedSender | undefined {
  const { signature, signing_secrets: stored, org_id: orgId, id } = row;
  if (!signature) return undefined;
  const kind = signatureKindOf(signature);
  const sealed = stored ?? [];
  const secrets = sealed.flatMap(({ key_id, ciphertext, expires_at }) => {
    const secret =
      keys && unseal(keys, signingPlace(orgId, id), { key_id, ciphertext: Buffer.from(ciphertext, 'hex') });
    const key = secret === undefined ? undefined : kind.secret.keyOf(secret);
    return key ? [{ key, expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at) }] : [];
  });
  const isWhole = secrets.length === sealed.length;
  if (!isWhole) onFault(new Error(`A secret of the sender of trigger ${id} cannot be decrypted: see SIGNING_KEYS.`));
  return { name: signature.kind, kind, vary: kind.headers.join(', '), secrets, isWhole };
}

/** The keys that are valid now. */
export function validKeys({ secrets }: SignedSender): KeyObject[] {
  const now = Date.now();
  return secrets.filter(({ expiresAtMs }) => expiresAtMs > now).map(({ key }) => key);
}
