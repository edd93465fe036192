import type { Migration } from '../migration.ts';

/**
 * Triggers, deliveries and the runs that they start. Input of callers is stored as `bytea` and `json`, since `jsonb`
 * and `text` refuse U+0000 and lone surrogates, which are valid JSON.
 */
export const workflows: Migration = {
  name: '005-workflows',
  sql: `
    -- The successor of a rotated key. Triggers that select the key also accept its successors.
    ALTER TABLE api_keys ADD COLUMN replaced_by uuid;

    CREATE TABLE workflows (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      name text NOT NULL,
      version integer NOT NULL,
      -- Maximum number of its concurrent runs, over all workers; NULL for no limit.
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
      -- The API key that senders use, if the trigger is in shared mode; NULL if it has its own secrets.
      key_id uuid,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id),
      CONSTRAINT webhook_triggers_key_id FOREIGN KEY (org_id, key_id) REFERENCES api_keys (org_id, id)
    );
    -- The only look-up without an organization: the URL contains only the id of the trigger.
    CREATE UNIQUE INDEX webhook_triggers_id ON webhook_triggers (id);

    -- The newest secret does not expire. Earlier secrets expire at the end of their overlap.
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
      -- The body byte for byte, without its Content-Encoding. PostgreSQL does not compress it (STORAGE EXTERNAL,
      -- below), which would gain little and cost the receiver's time.
      body bytea NOT NULL,
      headers json NOT NULL,
      -- Assigned workflows that were not started, with the reasons.
      skipped json,
      replays integer NOT NULL DEFAULT 0,
      received_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );
    CREATE INDEX webhook_deliveries_trigger ON webhook_deliveries (trigger_id, id);

    -- Idempotency keys of senders, as SHA-256, since a key can have any length.
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
      -- True if its workflow limits the number of concurrent runs. Such runs are claimed separately.
      is_limited boolean NOT NULL DEFAULT false,
      -- Increased by every claim. A worker with a lower epoch can no longer write.
      epoch integer NOT NULL DEFAULT 0,
      -- When a worker must look at the run: at the time of a timer or retry, at the end of a lease, or if a queued run
      -- was not claimed until then.
      due_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Number of consecutive claims without progress. A run that kills its worker each time is given up.
      stalls smallint NOT NULL DEFAULT 0,
      worker text,
      error json,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      started_at timestamptz(3),
      finished_at timestamptz(3),
      PRIMARY KEY (org_id, id),
      -- The delivery comes first. If the index began like the primary key, the planner would use it instead of the
      -- primary key as long as the table has no statistics.
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
      -- Id of the step. Within a loop, the path to the step: each[2].contact
      path text NOT NULL,
      position integer NOT NULL,
      use text NOT NULL,
      status text NOT NULL
        CHECK (status IN ('pending', 'running', 'waiting', 'succeeded', 'failed', 'skipped')),
      attempts integer NOT NULL DEFAULT 0,
      -- Errors of earlier attempts, with their times.
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

    -- Replaces foreign keys in tables that receive thousands of rows a second: no row can refer to another
    -- organization. All rows of a statement are checked together. Checking row by row took as long as the rest of the
    -- statement, and locked rows that all writers refer to. Referenced rows are never deleted before the rows that
    -- refer to them. LIMIT makes each look-up separate: a join might read a whole table of millions for a few rows.
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

    -- Vacuum after a number of changed rows, not after a share of the table: the tables keep growing, and dead rows at
    -- the end of the queue must be removed soon.
    ALTER TABLE webhook_deliveries ALTER COLUMN body SET STORAGE EXTERNAL,
      SET (autovacuum_vacuum_insert_threshold = 100000, autovacuum_vacuum_insert_scale_factor = 0.05);
    ALTER TABLE workflow_runs
      SET (autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.02, fillfactor = 90);
    ALTER TABLE workflow_run_steps
      SET (autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.02);
  `,
};
