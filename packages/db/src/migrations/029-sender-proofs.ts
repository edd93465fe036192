import type { Migration } from '../migration.ts';

/** Verify tokens of triggers, and the use of their secrets. */
export const senderProofs: Migration = {
  name: '029-sender-proofs',
  sql: `
    ALTER TABLE webhook_triggers
      -- SHA-256 of the token with which the maker checks the URL by a GET; NULL for kinds of senders that do not.
      ADD COLUMN verify_token_hash bytea;

    ALTER TABLE webhook_trigger_secrets
      -- When a sender last proved itself by it, to about a minute.
      ADD COLUMN last_used_at timestamptz(3);

    ALTER TABLE webhook_signing_secrets
      ADD COLUMN last_used_at timestamptz(3),
      -- NULL for a secret that is too short to show any of it, or that is a placeholder.
      ADD COLUMN last_four text;
  `,
};
