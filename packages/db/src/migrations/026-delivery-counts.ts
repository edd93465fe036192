import type { Migration } from '../migration.ts';
import { startCounting } from './trigger-counts.sql.ts';

/**
 * Counts per trigger and minute, so that a chart of any span is a sum of a few rows. Every writer maintains them, and
 * they equal `count(*)`: rows deleted by retention are subtracted. The minute is taken from the row's id, which also
 * orders lists.
 *
 * Each connection adds to its own slot, so writers never wait for each other. The worker merges slots that are a few
 * hours old into one row per hour.
 *
 * Rows from before the counting began are not counted, and not subtracted when they are deleted: counting them would
 * lock large tables for a long time. `trigger_count_starts` has the minute from which counts are complete.
 */
export const deliveryCounts: Migration = {
  name: '026-delivery-counts',
  sql: `
    CREATE TABLE trigger_minutes (
      org_id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('deliveries', 'runs', 'failed_runs')),
      -- Minutes since 1970.
      minute bigint NOT NULL,
      trigger_id uuid NOT NULL,
      -- Process id of the server process of the connection.
      slot integer NOT NULL,
      n integer NOT NULL,
      PRIMARY KEY (org_id, kind, minute, trigger_id, slot)
    ) WITH (fillfactor = 50); -- Leaves room in every page for the frequent updates.

    CREATE TABLE trigger_hours (
      org_id uuid NOT NULL,
      kind text NOT NULL,
      -- Hours since 1970.
      hour bigint NOT NULL,
      trigger_id uuid NOT NULL,
      total integer NOT NULL,
      -- 60 numbers, which add up to the total.
      minutes integer[] NOT NULL,
      PRIMARY KEY (org_id, kind, hour, trigger_id)
    );

    CREATE TABLE trigger_count_starts (
      kind text PRIMARY KEY,
      -- Minutes since 1970; the first minute of an hour. Failed runs are counted from the same minute as runs.
      minute bigint NOT NULL
    );

    -- The first 48 bits of a UUID version 7 are its time, in milliseconds since 1970.
    CREATE FUNCTION minute_of(id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
      RETURN ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 60000;

    CREATE FUNCTION keep_trigger_counts() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      a_kind text := TG_ARGV[0];
      sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
      first_minute bigint := (SELECT s.minute FROM trigger_count_starts s WHERE s.kind = a_kind);
    BEGIN
      INSERT INTO trigger_minutes AS m (org_id, kind, minute, trigger_id, slot, n)
        SELECT c.org_id, a_kind, minute_of(c.id), c.trigger_id, pg_backend_pid(), count(*) * sign FROM changed c
        WHERE minute_of(c.id) >= first_minute GROUP BY c.org_id, minute_of(c.id), c.trigger_id
        ON CONFLICT (org_id, kind, minute, trigger_id, slot) DO UPDATE SET n = m.n + excluded.n;
      RETURN NULL;
    END $$;
    ${startCounting('deliveries', 'webhook_deliveries')}
  `,
};
