import type { Migration } from '../migration.ts';

/** Marks what the demo made, so that it can be removed and nothing else with it. */
export const demoData: Migration = {
  name: '026-demo-data',
  sql: `
    CREATE TABLE demo_data (
      org_id uuid NOT NULL REFERENCES organizations (id),
      kind text NOT NULL CHECK (kind IN ('delivery', 'trigger', 'workflow', 'demo_request')),
      id uuid NOT NULL,
      PRIMARY KEY (org_id, kind, id)
    );
  `,
};
