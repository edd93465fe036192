import type { Migration } from '../migration.ts';
import { allowScopes } from './allow-scopes.sql.ts';

/**
 * The history of changes. The statement that makes a change also writes its event, so that neither exists without the
 * other. Each writer draws its number under the organization's shared lock, so that a reader knows up to which `seq` no
 * more events will appear. The reader looks at the last number of the sequence and at the holders of the lock. Once
 * these holders have ended, no more events appear up to that number. Writers never wait for each other, since nobody
 * takes the lock exclusively.
 */
export const events: Migration = {
  name: '012-events',
  sql: `
    -- A connection with cached numbers would use them after readers have passed them.
    CREATE SEQUENCE event_seq CACHE 1;

    CREATE TABLE events (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      seq bigint NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      type text NOT NULL,
      record_id uuid NOT NULL,
      actor json NOT NULL,
      request_id text,
      -- Number of runs that led to the change, each started by the previous one.
      depth smallint NOT NULL DEFAULT 0,
      changed text[],
      previous json,
      record json,
      PRIMARY KEY (org_id, id)
    );
    CREATE UNIQUE INDEX events_feed ON events (org_id, seq);
    CREATE INDEX events_record ON events (org_id, record_id, seq);

    CREATE FUNCTION events_lock(org_id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE
      RETURN hashtextextended('events' || org_id::text, 0);

    CREATE FUNCTION next_event(org_id uuid) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(events_lock(org_id));
      RETURN nextval('event_seq');
    END $$;

    -- Reads the last number of the sequence, and only then the transactions that may still write a number up to it.
    CREATE FUNCTION look_at_events(org_id uuid) RETURNS TABLE (last_seq bigint, writers text[]) LANGUAGE plpgsql AS $$
    DECLARE
      key bigint := events_lock(org_id);
    BEGIN
      last_seq := coalesce(pg_sequence_last_value('event_seq'), 0);
      writers := ARRAY(
        SELECT virtualtransaction FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid::bigint = (key >> 32) & 4294967295 AND objid::bigint = key & 4294967295);
      RETURN NEXT;
    END $$;
    ${allowScopes(['records:read', 'records:write', 'activities:write', 'events:read', 'chat', 'webhook'])}
  `,
};
