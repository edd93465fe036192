import { listWith } from '@relata/db';

interface SealedWith {
  key_id: string;
  sealed: number;
}

/** Declares a function that counts the rows of a query by the key that encrypts them. */
const countByKey = (name: string, rows: string) =>
  listWith<SealedWith>(
    name,
    `SELECT key_id, count(*) AS sealed FROM ${rows} GROUP BY key_id ORDER BY key_id LIMIT 100`,
  );

export const countSecrets = countByKey('diagnosis.secrets_by_key', 'organization_secrets');
export const countNotifyChannels = countByKey('diagnosis.notify_channels_by_key', 'notify_channels');
/** Counts only valid secrets of signing senders. */
export const countSigningSecrets = countByKey(
  'diagnosis.signing_secrets_by_key',
  'webhook_signing_secrets WHERE expires_at IS NULL OR expires_at > now()',
);
