import type { Migration } from '../migration.ts';

/** Marks objects that the demo created, so that they can be removed without removing other data. */
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
