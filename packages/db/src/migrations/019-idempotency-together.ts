import type { Migration } from '../migration.ts';

/**
 * Takes several idempotency keys with two statements in one call: first their locks, then a look-up in a snapshot taken
 * after the locks. Taking keys one by one cost PostgreSQL more than writing the records. The lock of a key is the same
 * as in `take_idempotency_key`, which the previous release calls.
 */
export const idempotencyTogether: Migration = {
  name: '019-idempotency-together',
  sql: `
    CREATE FUNCTION take_idempotency_keys(org_ids uuid[], key_ids uuid[], names bytea[])
      RETURNS TABLE (n bigint, is_locked boolean, stored idempotency_keys) LANGUAGE plpgsql
      SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
    DECLARE
      locked boolean[];
    BEGIN
      SELECT array_agg(pg_try_advisory_xact_lock(
          hashtextextended(given.org_id::text || given.key_id::text || encode(given.name, 'hex'), 1)) ORDER BY given.n)
        INTO locked
        FROM unnest(org_ids, key_ids, names) WITH ORDINALITY AS given (org_id, key_id, name, n);
      RETURN QUERY
        SELECT given.n, given.is_locked, found.k
        FROM unnest(org_ids, key_ids, names, locked) WITH ORDINALITY AS given (org_id, key_id, name, is_locked, n)
        LEFT JOIN LATERAL (
          SELECT k FROM idempotency_keys k
          WHERE given.is_locked AND k.org_id = given.org_id AND k.key_id = given.key_id AND k.name_hash = given.name
          LIMIT 1
        ) found ON true;
    END $$;
  `,
};
