import type { Migration } from '../migration.ts';
import { startCounting } from './trigger-counts.sql.ts';

/**
 * Counts all runs as migration 026-delivery-counts counts deliveries, and separately the runs whose status is failed.
 * The two migrations are separate, since each locks a busy table. Failures are counted row by row: most updates of runs
 * are claims and steps, which must cost nothing here.
 */
export const runCounts: Migration = {
  name: '026-run-counts',
  sql: `
    CREATE FUNCTION keep_failed_counts() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      r workflow_runs := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
      change integer := CASE WHEN TG_OP <> 'DELETE' AND r.status = 'failed' THEN 1 ELSE -1 END;
    BEGIN
      INSERT INTO trigger_minutes AS m (org_id, kind, minute, trigger_id, slot, n)
        SELECT r.org_id, 'failed_runs', minute_of(r.id), r.trigger_id, pg_backend_pid(), change
        WHERE minute_of(r.id) >= (SELECT s.minute FROM trigger_count_starts s WHERE s.kind = 'runs')
        ON CONFLICT (org_id, kind, minute, trigger_id, slot) DO UPDATE SET n = m.n + excluded.n;
      RETURN NULL;
    END $$;
    CREATE TRIGGER keep_failed_inserted AFTER INSERT ON workflow_runs
      FOR EACH ROW WHEN (NEW.status = 'failed') EXECUTE FUNCTION keep_failed_counts();
    CREATE TRIGGER keep_failed_deleted AFTER DELETE ON workflow_runs
      FOR EACH ROW WHEN (OLD.status = 'failed') EXECUTE FUNCTION keep_failed_counts();
    CREATE TRIGGER keep_failed_updated AFTER UPDATE ON workflow_runs
      FOR EACH ROW WHEN ((OLD.status = 'failed') <> (NEW.status = 'failed')) EXECUTE FUNCTION keep_failed_counts();
    ${startCounting('runs', 'workflow_runs')}
  `,
};
