import type { Migration } from '../migration.ts';

/**
 * Notes each run that fails, if its organization has a channel. A database trigger does this, so that runs that fail on
 * workers of the previous release are noted, too. It is a separate migration, since it locks a busy table.
 */
export const runNotes: Migration = {
  name: '031-run-notes',
  sql: `
    -- It does not read the error: an unreadable error must not prevent a run from ending.
    CREATE FUNCTION note_failed_run() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO failed_run_notes (org_id, run_id)
        SELECT NEW.org_id, NEW.id WHERE EXISTS (SELECT FROM notify_channels c WHERE c.org_id = NEW.org_id)
        -- If the run failed before, was retried and fails again, the lock keeps its note until this is committed.
        ON CONFLICT (org_id, run_id) DO UPDATE SET failed_at = now();
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_failed AFTER UPDATE ON workflow_runs
      FOR EACH ROW WHEN (NEW.status = 'failed' AND OLD.status <> 'failed') EXECUTE FUNCTION note_failed_run();
  `,
};
