import type { Migration } from '../migration.ts';

/** Verify tokens of triggers, and the last use of their secrets. */
export const senderProofs: Migration = {
  name: '029-sender-proofs',
  sql: `
    ALTER TABLE webhook_triggers
      -- SHA-256 of the token with which the sender checks the URL by GET; NULL for kinds of senders without this check.
      ADD COLUMN verify_token_hash bytea;

    ALTER TABLE webhook_trigger_secrets
      -- When a sender last used the secret, accurate to about a minute.
      ADD COLUMN last_used_at timestamptz(3);

    ALTER TABLE webhook_signing_secrets
      ADD COLUMN last_used_at timestamptz(3),
      -- NULL for a placeholder, and for a secret that is too short to show a part of it.
      ADD COLUMN last_four text;
  `,
};
