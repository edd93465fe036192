import type { Migration } from '../migration.ts';

/** Credentials that workflows send to other systems: encrypted, and each value bound to its row. */
export const secrets: Migration = {
  name: '008-secrets',
  sql: `
    CREATE TABLE organization_secrets (
      org_id uuid NOT NULL REFERENCES organizations (id),
      name text NOT NULL,
      -- Id of the key in SECRETS_KEY that decrypts the value.
      key_id text NOT NULL,
      -- Nonce, ciphertext and tag of AES-256-GCM; org_id and name are authenticated with them.
      ciphertext bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, name)
    );
  `,
};
