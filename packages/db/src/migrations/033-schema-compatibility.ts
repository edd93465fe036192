import type { Migration } from '../migration.ts';

/**
 * Records the oldest release that runs on the schema, so that a release can be started again after the next one
 * migrated.
 */
export const schemaCompatibility: Migration = {
  name: '033-schema-compatibility',
  sql: `
    -- Has one row: the last migration of that release. Releases before this table refuse every newer schema.
    CREATE TABLE schema_compatibility (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      oldest text NOT NULL
    );
    INSERT INTO schema_compatibility (oldest) VALUES ('033-schema-compatibility');
  `,
};
