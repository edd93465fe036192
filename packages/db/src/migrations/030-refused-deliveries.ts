import type { Migration } from '../migration.ts';

/**
 * Finds deliveries that did not satisfy a workflow's inputs. It is a separate migration, since it reads a large table;
 * the changelog says how operators build the index before the upgrade.
 */
export const refusedDeliveries: Migration = {
  name: '030-refused-deliveries',
  sql: `
    CREATE INDEX IF NOT EXISTS webhook_deliveries_refused ON webhook_deliveries (org_id, id) WHERE has_refused;
  `,
};
