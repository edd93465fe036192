import type { Migration } from '../migration.ts';

/** A plan that was made while the table was empty would read all of it for each name, until it is analyzed. */
export const idempotencyPlan: Migration = {
  name: '015-idempotency-plan',
  sql: 'ALTER FUNCTION take_idempotency_key(uuid, uuid, bytea) SET enable_seqscan = off;',
};
