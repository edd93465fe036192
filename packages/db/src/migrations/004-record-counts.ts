import type { Migration } from '../migration.ts';

const counted = ['accounts', 'contacts', 'opportunities', 'pipelines', 'stages', 'users', 'custom_activities'];

/**
 * Exact totals without counting. A total is the sum of a few slots; a writer takes any slot that nobody holds, and
 * makes one where all are taken. So writers of one organization never wait for each other, no order of locks can
 * deadlock, and there are only ever as many slots as there were writers at once.
 */
export const recordCounts: Migration = {
  name: '004-record-counts',
  sql: `
    CREATE TABLE record_counts (
      org_id uuid NOT NULL REFERENCES organizations (id),
      resource text NOT NULL,
      slot bigint GENERATED ALWAYS AS IDENTITY,
      n bigint NOT NULL,
      PRIMARY KEY (org_id, resource, slot)
    ) WITH (fillfactor = 20); -- Room in every page, so that the frequent updates stay in it.

    CREATE FUNCTION count_records() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      change record;
      free_slot bigint;
      sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    BEGIN
      FOR change IN SELECT org_id, count(*) * sign AS n FROM changed GROUP BY org_id LOOP
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
    CREATE TRIGGER count_inserted AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION count_records();
    CREATE TRIGGER count_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION count_records();`;
}
