import {
  type SealContext,
  type SealedValue,
  SecretError,
  type EncryptionKeys,
  unseal,
  whyUnreadable,
} from '@relata/secrets';

/** Returns the row to which the encrypted URL is bound, by its organization and kind of chat. */
export const sealContextOf = (orgId: string, kind: string): SealContext => ({
  purpose: 'relata team channel',
  orgId,
  name: kind,
});

/** Decrypts the URL of a channel; throws SecretError if no key decrypts it. */
export function openUrl(keys: EncryptionKeys, orgId: string, kind: string, sealed: SealedValue): string {
  const url = unseal(keys, sealContextOf(orgId, kind), sealed);
  if (url !== undefined) return url;
  const why = whyUnreadable(keys, sealed, 'NOTIFY_KEYS');
  throw new SecretError('unreadable_secret', `The URL of the channel ${why}. Set the channel again.`);
}
