import type { Migration } from '../migration.ts';

/**
 * Lets a role that owns nothing have our tables analyzed: MAINTAIN, which would do, is of PostgreSQL 17, and allows to lock
 * and rewrite a table besides. The schema is written into the function, so that no search path of a caller can lead it to
 * another one; it may be called by those who are granted it.
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
