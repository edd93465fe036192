import type { Migration } from '../migration.ts';

/** Notes each delivery that lacks an input of a workflow, if its organization has a channel. */
export const refusedStartNotes: Migration = {
  name: '032-refused-start-notes',
  sql: `
    -- Deliveries that no worker has collected into notices yet. No foreign key, as for notes of failed runs.
    CREATE TABLE refused_start_notes (
      org_id uuid NOT NULL,
      delivery_id uuid NOT NULL,
      noted_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, delivery_id)
    );

    CREATE FUNCTION note_refused_start() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO refused_start_notes (org_id, delivery_id)
        SELECT NEW.org_id, NEW.id WHERE EXISTS (SELECT FROM notify_channels c WHERE c.org_id = NEW.org_id)
        ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_refused AFTER INSERT ON webhook_deliveries
      FOR EACH ROW WHEN (NEW.has_refused) EXECUTE FUNCTION note_refused_start();
  `,
};
