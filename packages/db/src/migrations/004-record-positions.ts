import type { Migration } from '../migration.ts';

const counted = ['accounts', 'contacts', 'opportunities', 'pipelines', 'stages', 'users', 'custom_activities'];

/**
 * Exact totals without counting rows, and deep pages without reading all rows before them.
 *
 * A total is the sum of a few slots. A writer takes any slot that nobody holds, and creates one if all are taken. So
 * writers of one organization never wait for each other, no order of locks can deadlock, and there are never more slots
 * than there have been concurrent writers.
 *
 * A landmark stores how many rows precede an id. A writer that inserts or deletes a row before a landmark removes the
 * landmark in the same transaction, so that every snapshot holds only correct landmarks. Writers must be READ
 * COMMITTED, as all of ours are: one with an older snapshot would not see a landmark that it has to remove.
 */
export const recordPositions: Migration = {
  name: '004-record-positions',
  sql: `
    CREATE TABLE record_counts (
      org_id uuid NOT NULL REFERENCES organizations (id),
      resource text NOT NULL,
      slot bigint GENERATED ALWAYS AS IDENTITY,
      n bigint NOT NULL,
      PRIMARY KEY (org_id, resource, slot)
    ) WITH (fillfactor = 20); -- Leaves room in every page for the frequent updates.

    CREATE TABLE record_landmarks (
      org_id uuid NOT NULL REFERENCES organizations (id),
      resource text NOT NULL,
      id uuid NOT NULL,
      position bigint NOT NULL,
      PRIMARY KEY (org_id, resource, id),
      UNIQUE (org_id, resource, position)
    );

    CREATE FUNCTION landmarks_lock(org_id uuid, resource text) RETURNS bigint LANGUAGE sql IMMUTABLE
      RETURN hashtextextended(org_id::text || resource, 0);

    CREATE FUNCTION keep_positions() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      change record;
      free_slot bigint;
      sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    BEGIN
      FOR change IN
        SELECT org_id, count(*) * sign AS n, min(id::text COLLATE "C")::uuid AS first_id FROM changed GROUP BY org_id
      LOOP
        -- Held until the end of the transaction: nobody sets a landmark while rows that it cannot see may come.
        PERFORM pg_advisory_xact_lock_shared(landmarks_lock(change.org_id, TG_TABLE_NAME));
        DELETE FROM record_landmarks
          WHERE org_id = change.org_id AND resource = TG_TABLE_NAME AND id >= change.first_id;
        SELECT slot INTO free_slot FROM record_counts
          WHERE org_id = change.org_id AND resource = TG_TABLE_NAME
          LIMIT 1 FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
          UPDATE record_counts SET n = n + change.n
            WHERE org_id = change.org_id AND resource = TG_TABLE_NAME AND slot = free_slot;
        ELSE
          INSERT INTO record_counts (org_id, resource, n) VALUES (change.org_id, TG_TABLE_NAME, change.n);
        END IF;
      END LOOP;
      RETURN NULL;
    END $$;

    ${counted.map(triggersOn).join('\n')}
  `,
};

function triggersOn(table: string): string {
  return `
    CREATE TRIGGER keep_inserted AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_positions();
    CREATE TRIGGER keep_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_positions();`;
}
