import type { KeyObject } from 'node:crypto';
import { type EncryptionKeys, unseal } from '@relata/secrets';
import { findSignatureKind, type UnsignedKind, type SignatureKindName, type SignedKind } from '@relata/signatures';
import { signingSealContext, type TriggerSnapshotRow } from '@relata/workflows/intake';

interface ProvingSender {
  name: SignatureKindName;
  /** Lower-case names of the headers that authenticate the sender; the first contains the signature or secret. */
  headers: readonly string[];
  /** Location of the signature or secret in a request, as messages name it. */
  place: string;
  /** Value of the header `Vary`: the names of `headers`. */
  vary: string;
}

/** A sender that authenticates by sending a secret. */
interface RepeatingSender extends ProvingSender {
  proof: 'secret';
  kind: UnsignedKind;
}

/** A sender of a known kind. Its posts are accepted only if they authenticate as this kind does. */
export type Sender = SignedSender | RepeatingSender;

export interface SigningSecret {
  id: string;
  key: KeyObject;
  expiresAtMs: number;
}

/** Signature settings of a trigger's sender, ready for verification. */
export interface SignedSender extends ProvingSender {
  proof: 'signature';
  kind: SignedKind;
  secrets: readonly SigningSecret[];
  /** False if a secret could not be decrypted. A signature that matches no other secret may then still be right. */
  isWhole: boolean;
}

/** Compiles a trigger's sender; returns undefined for `X-Webhook-Secret`. Leaves out secrets that no key decrypts. */
export function compileSender(
  row: TriggerSnapshotRow,
  keys: EncryptionKeys | undefined,
  onFault: (error: unknown) => void,
): Sender | undefined {
  const { signature, signing_secrets: stored, org_id: orgId, id } = row;
  if (!signature) return undefined;
  const { kind: name } = signature;
  const kind = findSignatureKind(signature);
  if (kind.proof === 'secret') {
    const { headers, place } = kind;
    return { proof: 'secret', name, kind, headers, place, vary: headers.join(', ') };
  }
  const sealed = stored ?? [];
  const secrets = sealed.flatMap(({ id: secretId, key_id, ciphertext, expires_at }) => {
    const secret =
      keys && unseal(keys, signingSealContext(orgId, id), { key_id, ciphertext: Buffer.from(ciphertext, 'hex') });
    const key = secret === undefined ? undefined : kind.secret.keyOf(secret);
    return key ? [{ id: secretId, key, expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at) }] : [];
  });
  const isWhole = secrets.length === sealed.length;
  if (!isWhole) onFault(new Error(`A secret of the sender of trigger ${id} cannot be decrypted: see SIGNING_KEYS.`));
  const headers = kind.families.flat();
  const place = `the header ${kind.families.map(([header]) => header).join(' or ')}`;
  return { proof: 'signature', name, kind, headers, place, vary: headers.join(', '), secrets, isWhole };
}

export function validSecrets({ secrets }: SignedSender): SigningSecret[] {
  const now = Date.now();
  return secrets.filter(({ expiresAtMs }) => expiresAtMs > now);
}
