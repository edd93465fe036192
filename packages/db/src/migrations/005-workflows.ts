import type { Migration } from '../migration.ts';

/**
 * Triggers, deliveries and the runs that they start. Input of callers is stored as `bytea` and `json`, since `jsonb`
 * and `text` refuse U+0000 and lone surrogates, which are valid JSON.
 */
export const workflows: Migration = {
  name: '005-workflows',
  sql: `
    -- Who rotated a key goes on being let in by the triggers that select it: they follow the chain of successors.
    ALTER TABLE api_keys ADD COLUMN replaced_by uuid;

    CREATE TABLE workflows (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      name text NOT NULL,
      version integer NOT NULL,
      -- Runs of it that may run at once over all workers; NULL for as many as there is room for.
      max_running integer CHECK (max_running > 0),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id),
      CONSTRAINT workflows_name UNIQUE (org_id, name)
    );

    CREATE TABLE workflow_versions (
      org_id uuid NOT NULL,
      workflow_id uuid NOT NULL,
      version integer NOT NULL,
      definition json NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, workflow_id, version),
      CONSTRAINT workflow_versions_workflow_id FOREIGN KEY (org_id, workflow_id) REFERENCES workflows (org_id, id)
    );

    CREATE TABLE webhook_triggers (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      name text NOT NULL,
      is_active boolean NOT NULL DEFAULT true,
      -- The selected API key of a trigger in shared mode; NULL where the trigger has secrets of its own.
      key_id uuid,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id),
      CONSTRAINT webhook_triggers_key_id FOREIGN KEY (org_id, key_id) REFERENCES api_keys (org_id, id)
    );
    -- The one look-up that does not know the organization yet: the URL names only the trigger.
    CREATE UNIQUE INDEX webhook_triggers_id ON webhook_triggers (id);

    -- The newest has no end; those before it end when their overlap does.
    CREATE TABLE webhook_trigger_secrets (
      org_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      id uuid NOT NULL,
      secret_hash bytea NOT NULL,
      last_four text NOT NULL,
      expires_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, trigger_id, id),
      CONSTRAINT webhook_trigger_secrets_trigger_id
        FOREIGN KEY (org_id, trigger_id) REFERENCES webhook_triggers (org_id, id)
    );

    CREATE TABLE trigger_workflows (
      org_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      workflow_id uuid NOT NULL,
      inputs json NOT NULL,
      filter text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, trigger_id, workflow_id),
      CONSTRAINT trigger_workflows_trigger_id
        FOREIGN KEY (org_id, trigger_id) REFERENCES webhook_triggers (org_id, id),
      CONSTRAINT trigger_workflows_workflow_id FOREIGN KEY (org_id, workflow_id) REFERENCES workflows (org_id, id)
    );
    CREATE INDEX trigger_workflows_workflow ON trigger_workflows (org_id, workflow_id);

    CREATE TABLE webhook_deliveries (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      -- What was sent, byte for byte, once its Content-Encoding was taken off. Random bytes gain nothing by compression
      -- that the disk does not give anyway, and it would cost the receiver's time.
      body bytea NOT NULL,
      headers json NOT NULL,
      -- Of assigned workflows that were not started: why.
      skipped json,
      replays integer NOT NULL DEFAULT 0,
      received_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );
    CREATE INDEX webhook_deliveries_trigger ON webhook_deliveries (trigger_id, id);

    -- Keys of senders who may repeat themselves, as SHA-256: they may be of any length.
    CREATE TABLE webhook_delivery_keys (
      org_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      key_hash bytea NOT NULL,
      delivery_id uuid NOT NULL,
      PRIMARY KEY (org_id, trigger_id, key_hash)
    );
    CREATE INDEX webhook_delivery_keys_delivery ON webhook_delivery_keys (delivery_id);

    CREATE TABLE workflow_runs (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      workflow_id uuid NOT NULL,
      version integer NOT NULL,
      delivery_id uuid NOT NULL,
      trigger_id uuid NOT NULL,
      -- 0 for the run that the delivery itself started.
      replay integer NOT NULL DEFAULT 0,
      inputs json NOT NULL,
      status text NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
      -- Whether its workflow bounds how many may run at once; such runs are claimed on a way of their own.
      is_limited boolean NOT NULL DEFAULT false,
      -- Raised by every claim; what was begun under a lower one can write nothing any more.
      epoch integer NOT NULL DEFAULT 0,
      -- When somebody has to look after it: a timer's or retry's time, the end of a lease, or when a queued run must
      -- have been claimed.
      due_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Claims in a row that came to nothing: a run that kills its worker every time is given up.
      stalls smallint NOT NULL DEFAULT 0,
      worker text,
      error json,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      started_at timestamptz(3),
      finished_at timestamptz(3),
      PRIMARY KEY (org_id, id),
      -- The delivery leads: an index that began as the primary key does would be taken for it while the table is young
      -- and nothing is known of it yet.
      CONSTRAINT workflow_runs_once UNIQUE (delivery_id, workflow_id, replay, org_id)
    );
    CREATE INDEX workflow_runs_due ON workflow_runs (due_at)
      WHERE status IN ('queued', 'running', 'waiting') AND NOT is_limited;
    CREATE INDEX workflow_runs_limited ON workflow_runs (org_id, workflow_id, due_at)
      WHERE status IN ('queued', 'running', 'waiting') AND is_limited;
    CREATE INDEX workflow_runs_failed ON workflow_runs (org_id, id) WHERE status = 'failed';

    CREATE TABLE workflow_run_steps (
      org_id uuid NOT NULL,
      run_id uuid NOT NULL,
      -- The step's id; inside of a loop with the way to it: each[2].contact
      path text NOT NULL,
      position integer NOT NULL,
      use text NOT NULL,
      status text NOT NULL
        CHECK (status IN ('pending', 'running', 'waiting', 'succeeded', 'failed', 'skipped')),
      attempts integer NOT NULL DEFAULT 0,
      -- What earlier attempts failed of, with their times.
      failures json,
      input json,
      output json,
      error json,
      wake_at timestamptz(3),
      started_at timestamptz(3),
      finished_at timestamptz(3),
      PRIMARY KEY (org_id, run_id, path),
      CONSTRAINT workflow_run_steps_run_id
        FOREIGN KEY (org_id, run_id) REFERENCES workflow_runs (org_id, id)
    );

    -- What a foreign key would hold, for tables that take thousands of rows a second: no row points into another
    -- organization, whatever the code does. Checked for all rows of a statement at once; row by row it took as long as
    -- all the rest of it, and locked the rows that everybody points to. What is pointed to is never deleted before.
    -- LIMIT keeps each look-up on its own: a join might read a whole table of millions for a few rows.
    CREATE FUNCTION check_delivery_references() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM (SELECT DISTINCT org_id, trigger_id FROM inserted) d LEFT JOIN LATERAL (
          SELECT true AS is_there FROM webhook_triggers t WHERE t.org_id = d.org_id AND t.id = d.trigger_id LIMIT 1
        ) t ON true WHERE t.is_there IS NULL
      ) THEN
        RAISE foreign_key_violation USING CONSTRAINT = 'webhook_deliveries_trigger_id',
          MESSAGE = 'a delivery of a trigger that its organization does not have';
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER check_references AFTER INSERT ON webhook_deliveries
      REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_delivery_references();

    CREATE FUNCTION check_run_references() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM (SELECT DISTINCT org_id, workflow_id, version FROM inserted) r LEFT JOIN LATERAL (
          SELECT true AS is_there FROM workflow_versions v
          WHERE v.org_id = r.org_id AND v.workflow_id = r.workflow_id AND v.version = r.version LIMIT 1
        ) v ON true WHERE v.is_there IS NULL
      ) OR EXISTS (
        SELECT FROM inserted r LEFT JOIN LATERAL (
          SELECT true AS is_there FROM webhook_deliveries d
          WHERE d.org_id = r.org_id AND d.id = r.delivery_id AND d.trigger_id = r.trigger_id LIMIT 1
        ) d ON true WHERE d.is_there IS NULL
      ) THEN
        RAISE foreign_key_violation USING CONSTRAINT = 'workflow_runs_references',
          MESSAGE = 'a run of a workflow or a delivery that its organization does not have';
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER check_references AFTER INSERT ON workflow_runs
      REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_run_references();

    -- A queue's end is full of what is done: it is cleaned by number, not by share of a table that grows for ever.
    ALTER TABLE webhook_deliveries ALTER COLUMN body SET STORAGE EXTERNAL,
      SET (autovacuum_vacuum_insert_threshold = 100000, autovacuum_vacuum_insert_scale_factor = 0.05);
    ALTER TABLE workflow_runs
      SET (autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.02, fillfactor = 90);
    ALTER TABLE workflow_run_steps
      SET (autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.02);
  `,
};
