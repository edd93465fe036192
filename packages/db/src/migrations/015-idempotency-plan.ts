import type { Migration } from '../migration.ts';

/**
 * Prevents sequential scans: a plan made while the table was empty would otherwise read the whole table for each key,
 * until the table is analyzed.
 */
export const idempotencyPlan: Migration = {
  name: '015-idempotency-plan',
  sql: 'ALTER FUNCTION take_idempotency_key(uuid, uuid, bytea) SET enable_seqscan = off;',
};
