import type { Migration } from '../migration.ts';

/**
 * Triggers whose senders sign. Their secrets are in a separate table: the previous release finds none in its own and
 * answers 401, instead of comparing a hash that does not exist.
 */
export const signedTriggers: Migration = {
  name: '016-signed-triggers',
  sql: `
    ALTER TABLE webhook_triggers
      -- How the sender signs, with its options; NULL for triggers that are opened by X-Webhook-Secret.
      ADD COLUMN signature json,
      ADD CONSTRAINT webhook_triggers_one_way_in CHECK (signature IS NULL OR key_id IS NULL);

    -- The newest has no end; those before it end when their overlap does.
    CREATE TABLE webhook_signing_secrets (
      org_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      id uuid NOT NULL,
      -- Which key of SIGNING_KEYS reads it.
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
