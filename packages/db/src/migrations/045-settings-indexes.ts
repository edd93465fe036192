import type { Migration } from '../migration.ts';

/**
 * Indexes for renaming a pipeline: opportunities that have its name but no stage, and pipelines by name. On large
 * tables, the operator creates them with CONCURRENTLY before the upgrade.
 */
export const settingsIndexes: Migration = {
  name: '045-settings-indexes',
  sql: `
    CREATE INDEX IF NOT EXISTS opportunities_free_pipeline
      ON opportunities (org_id, hashtextextended(pipeline, 0), id) WHERE stage_id IS NULL AND pipeline IS NOT NULL;
    CREATE INDEX IF NOT EXISTS pipelines_name ON pipelines (org_id, hashtextextended(lower(name), 0), id);
  `,
};
