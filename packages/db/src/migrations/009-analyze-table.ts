import type { Migration } from '../migration.ts';

/**
 * Adds a function with which a role that owns no table can have our tables analyzed. The privilege MAINTAIN exists only
 * from PostgreSQL 17 on, and also permits locking and rewriting a table. The schema is written into the function, so
 * that a caller's search path cannot lead it to another schema. Only roles with a grant can call it.
 */
export const analyzeTable: Migration = {
  name: '009-analyze-table',
  sql: `
    DO $migration$ BEGIN
      EXECUTE format($statement$
        CREATE FUNCTION %1$I.analyze_table(table_name text) RETURNS void
          LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
          EXECUTE format('ANALYZE %%I.%%I', %1$L, table_name);
        END $body$
      $statement$, current_schema());
    END $migration$;

    REVOKE ALL ON FUNCTION analyze_table(text) FROM PUBLIC;
  `,
};
