import { listWith } from '@relata/db';

interface SealedWith {
  key_id: string;
  sealed: number;
}

/** Counts the secrets of organizations by the key that encrypts them. */
export const countSecrets = listWith<SealedWith>(
  'diagnosis.secrets_by_key',
  'SELECT key_id, count(*) AS sealed FROM organization_secrets GROUP BY key_id ORDER BY key_id LIMIT 100',
);

/** Counts the team channels of organizations by the key that encrypts their URL. */
export const countNotifyChannels = listWith<SealedWith>(
  'diagnosis.notify_channels_by_key',
  'SELECT key_id, count(*) AS sealed FROM notify_channels GROUP BY key_id ORDER BY key_id LIMIT 100',
);

/** Counts the valid secrets of signing senders by the key that encrypts them. */
export const countSigningSecrets = listWith<SealedWith>(
  'diagnosis.signing_secrets_by_key',
  `SELECT key_id, count(*) AS sealed FROM webhook_signing_secrets
   WHERE expires_at IS NULL OR expires_at > now() GROUP BY key_id ORDER BY key_id LIMIT 100`,
);
