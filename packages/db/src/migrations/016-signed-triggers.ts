import type { Migration } from '../migration.ts';

/**
 * Triggers whose senders sign. Their secrets are in a separate table: the previous release finds no secret in its own
 * table and answers 401, instead of comparing a hash that does not exist.
 */
export const signedTriggers: Migration = {
  name: '016-signed-triggers',
  sql: `
    ALTER TABLE webhook_triggers
      -- How the sender signs, with options; NULL if the sender sends X-Webhook-Secret instead.
      ADD COLUMN signature json,
      ADD CONSTRAINT webhook_triggers_one_way_in CHECK (signature IS NULL OR key_id IS NULL);

    -- The newest secret does not expire. Earlier secrets expire at the end of their overlap.
    CREATE TABLE webhook_signing_secrets (
      org_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      id uuid NOT NULL,
      -- Id of the key in SIGNING_KEYS that decrypts the secret.
      key_id text NOT NULL,
      -- Nonce, ciphertext and tag of AES-256-GCM; org_id and trigger_id are authenticated with them.
      ciphertext bytea NOT NULL,
      expires_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, trigger_id, id),
      CONSTRAINT webhook_signing_secrets_trigger_id
        FOREIGN KEY (org_id, trigger_id) REFERENCES webhook_triggers (org_id, id)
    );
  `,
};
