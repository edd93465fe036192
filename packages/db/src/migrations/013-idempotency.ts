import type { Migration } from '../migration.ts';

/**
 * Answers to writes with an idempotency key, stored in the transaction of the write so that neither exists without the
 * other. A key is locked while its write runs. The look-up follows the lock in its own snapshot, and so sees what the
 * previous holder has committed.
 */
export const idempotency: Migration = {
  name: '013-idempotency',
  sql: `
    CREATE TABLE idempotency_keys (
      org_id uuid NOT NULL,
      -- The API key, so that two integrations can use the same idempotency keys.
      key_id uuid NOT NULL,
      name_hash bytea NOT NULL CHECK (length(name_hash) = 32),
      request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
      request_id text NOT NULL,
      status smallint NOT NULL,
      etag text,
      body text NOT NULL,
      record_ids uuid[] NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, key_id, name_hash)
    );
    CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

    CREATE FUNCTION take_idempotency_key(an_org uuid, a_key uuid, a_name bytea)
      RETURNS TABLE (is_locked boolean, stored idempotency_keys) LANGUAGE plpgsql AS $$
    BEGIN
      is_locked := pg_try_advisory_xact_lock(
        hashtextextended(an_org::text || a_key::text || encode(a_name, 'hex'), 1));
      IF is_locked THEN
        SELECT k.* INTO stored FROM idempotency_keys k
          WHERE k.org_id = an_org AND k.key_id = a_key AND k.name_hash = a_name;
      END IF;
      RETURN NEXT;
    END $$;
  `,
};
