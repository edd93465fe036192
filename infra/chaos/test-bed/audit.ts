/**
 * SQL that records every claim, and every journal entry with the slot of the app that wrote it. An app's connections
 * have the name of its slot. Changes that are rolled back are not recorded.
 */
export const auditSql = [
  `CREATE TABLE chaos_writes (
     run_id uuid NOT NULL, path text NOT NULL, status text NOT NULL, epoch integer NOT NULL, holder text,
     slot text NOT NULL, at timestamptz NOT NULL)`,
  `CREATE TABLE chaos_claims (
     run_id uuid NOT NULL, epoch integer NOT NULL, worker text, is_takeover boolean NOT NULL, at timestamptz NOT NULL)`,
  `CREATE FUNCTION chaos_note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO chaos_writes
     SELECT NEW.run_id, NEW.path, NEW.status, r.epoch, r.worker, current_setting('application_name'), clock_timestamp()
     FROM workflow_runs r WHERE r.org_id = NEW.org_id AND r.id = NEW.run_id;
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION chaos_note_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO chaos_claims
     VALUES (NEW.id, NEW.epoch, NEW.worker, OLD.status = 'running', clock_timestamp());
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER chaos_write AFTER INSERT OR UPDATE ON workflow_run_steps
     FOR EACH ROW EXECUTE FUNCTION chaos_note_write()`,
  `CREATE TRIGGER chaos_claim AFTER UPDATE OF epoch ON workflow_runs
     FOR EACH ROW WHEN (NEW.epoch > OLD.epoch) EXECUTE FUNCTION chaos_note_claim()`,
];
