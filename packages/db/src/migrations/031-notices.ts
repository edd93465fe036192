import type { Migration } from '../migration.ts';

/**
 * The team channel of each organization that wants to hear of failures, and the notices for it. Without a row in
 * `notify_channels` nothing is collected and nothing is sent.
 */
export const notices: Migration = {
  name: '031-notices',
  sql: `
    CREATE TABLE notify_channels (
      org_id uuid PRIMARY KEY REFERENCES organizations (id),
      kind text NOT NULL,
      -- Id of the key in NOTIFY_KEYS that decrypts the URL.
      key_id text NOT NULL,
      -- Nonce, ciphertext and tag of AES-256-GCM; org_id is authenticated with them.
      ciphertext bytea NOT NULL,
      -- The only parts of the URL that are ever shown.
      host text NOT NULL,
      last_four text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Increased by every claim. A worker with a lower epoch takes no more notices.
      epoch integer NOT NULL DEFAULT 0,
      -- Until this time a worker is sending, and no other worker begins.
      claimed_until timestamptz(3),
      -- When the next message may be sent.
      next_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Number of consecutive failures.
      failures integer NOT NULL DEFAULT 0,
      -- Why the last attempt failed: { code, message }; NULL after a success.
      last_error json,
      last_sent_at timestamptz(3),
      -- Beginning of the hour in which messages are counted.
      hour_at timestamptz(3) NOT NULL DEFAULT now(),
      hour_sent integer NOT NULL DEFAULT 0
    );

    CREATE TABLE notices (
      org_id uuid NOT NULL REFERENCES notify_channels (org_id) ON DELETE CASCADE,
      kind text NOT NULL,
      -- A JSON array that names the cause; its members depend on the kind.
      cause text NOT NULL,
      -- Numbers by detail: of what happened since the last message, and of the message that is being sent.
      waiting jsonb NOT NULL DEFAULT '{}',
      sending jsonb NOT NULL DEFAULT '{}',
      -- Id of the newest object, such as a run.
      example uuid,
      -- First and last occurrence since the last message.
      since timestamptz(3) NOT NULL,
      last_at timestamptz(3) NOT NULL,
      -- When a message about it may be sent; NULL if there is nothing to report.
      due_at timestamptz(3),
      sent_at timestamptz(3),
      PRIMARY KEY (org_id, kind, cause)
    );
    CREATE INDEX notices_due ON notices (org_id, due_at) WHERE due_at IS NOT NULL;

    -- Failed runs that no worker has collected into notices yet. No foreign key, so that writers of failed runs never
    -- wait here.
    CREATE TABLE failed_run_notes (
      org_id uuid NOT NULL,
      run_id uuid NOT NULL,
      failed_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, run_id)
    );

    CREATE FUNCTION add_counts(a jsonb, b jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
      SELECT coalesce(jsonb_object_agg(key, n), '{}') FROM (
        SELECT key, sum(value::numeric) AS n FROM (
          SELECT * FROM jsonb_each_text(a) UNION ALL SELECT * FROM jsonb_each_text(b)
        ) both_of GROUP BY key
      ) added
    $$;
  `,
};
