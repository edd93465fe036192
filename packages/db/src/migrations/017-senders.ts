import type { Migration } from '../migration.ts';

/** Expressions with which triggers recognize repeats, and the posts that they refused. */
export const senders: Migration = {
  name: '017-senders',
  sql: `
    -- An expression whose value is the same for every repeat; NULL: the headers Idempotency-Key and webhook-id.
    ALTER TABLE webhook_triggers ADD COLUMN repeat_key text;
    -- Why the repeat key of its trigger had no value: repeats of such a delivery are stored again.
    ALTER TABLE webhook_deliveries ADD COLUMN repeat_problem text;

    -- The last posts that a trigger refused; those without its secret are kept apart, so that who does not have it
    -- pushes no others out.
    CREATE TABLE webhook_refusals (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      refused_at timestamptz(3) NOT NULL,
      is_authorized boolean NOT NULL,
      status smallint NOT NULL,
      reason text NOT NULL,
      -- What was answered.
      message text NOT NULL,
      field text,
      bytes integer,
      address text,
      -- The first of it, and only of a sender that was let in.
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
