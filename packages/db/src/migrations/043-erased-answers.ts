import type { Migration } from '../migration.ts';

/**
 * Indexes by which an erase finds the stored answers that contain a record. Almost all answers contain one record, so
 * they have a separate index: an entry for an array costs a write several times as much as one for a single id. On
 * large tables, the operator creates them with CONCURRENTLY before the upgrade.
 */
export const erasedAnswers: Migration = {
  name: '043-erased-answers',
  sql: `
    CREATE INDEX IF NOT EXISTS idempotency_keys_record ON idempotency_keys (org_id, (record_ids[1]))
      WHERE cardinality(record_ids) = 1;
    CREATE INDEX IF NOT EXISTS idempotency_keys_records ON idempotency_keys USING gin (record_ids)
      WHERE cardinality(record_ids) > 1;
  `,
};
