import type { Migration } from '../migration.ts';

/** Expressions with which triggers recognize repeated posts, and the posts that triggers refused. */
export const senders: Migration = {
  name: '017-senders',
  sql: `
    -- An expression with the same value for every repeat of a post; NULL if the headers Idempotency-Key and webhook-id
    -- are used.
    ALTER TABLE webhook_triggers ADD COLUMN repeat_key text;
    -- Why the trigger's repeat key had no value. Repeats of such a delivery are stored again.
    ALTER TABLE webhook_deliveries ADD COLUMN repeat_problem text;

    -- The last posts that a trigger refused. Posts without its secret are limited separately, so that they cannot
    -- displace others.
    CREATE TABLE webhook_refusals (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      refused_at timestamptz(3) NOT NULL,
      is_authorized boolean NOT NULL,
      status smallint NOT NULL,
      reason text NOT NULL,
      -- Message of the response.
      message text NOT NULL,
      field text,
      bytes integer,
      address text,
      -- The beginning of the body, only if the post had the secret.
      body bytea CHECK (body IS NULL OR is_authorized),
      PRIMARY KEY (org_id, id),
      CONSTRAINT webhook_refusals_trigger_id
        FOREIGN KEY (org_id, trigger_id) REFERENCES webhook_triggers (org_id, id)
    );
    CREATE INDEX webhook_refusals_trigger ON webhook_refusals (org_id, trigger_id, is_authorized, id);

    CREATE TABLE webhook_refusal_counts (
      org_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      -- In UTC.
      day date NOT NULL,
      reason text NOT NULL,
      refused bigint NOT NULL,
      last_refused_at timestamptz(3) NOT NULL,
      PRIMARY KEY (org_id, trigger_id, day, reason),
      CONSTRAINT webhook_refusal_counts_trigger_id
        FOREIGN KEY (org_id, trigger_id) REFERENCES webhook_triggers (org_id, id)
    );
  `,
};
