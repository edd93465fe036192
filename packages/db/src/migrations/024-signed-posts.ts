import type { Migration } from '../migration.ts';

/** Accepted signed posts, stored to recognize copies, and keys that the installation generates for itself. */
export const signedPosts: Migration = {
  name: '024-signed-posts',
  sql: `
    -- Posts whose signature has no timestamp, kept for 7 days. A copy of a post has the same bytes and signature.
    CREATE TABLE webhook_signed_posts (
      org_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      -- SHA-256 of the bytes that were signed.
      body_hash bytea NOT NULL,
      delivery_id uuid NOT NULL,
      received_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, trigger_id, body_hash)
    );
    CREATE INDEX webhook_signed_posts_age ON webhook_signed_posts (org_id, received_at);

    -- Keys that all replicas share and nobody configures. Random UUIDs come from the operating system's generator.
    CREATE TABLE installation_keys (
      name text PRIMARY KEY,
      key bytea NOT NULL CHECK (length(key) = 32),
      created_at timestamptz(3) NOT NULL DEFAULT now()
    );
    INSERT INTO installation_keys (name, key)
    VALUES ('known-browsers', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));
  `,
};
