import type { Migration } from '../migration.ts';
import { allowScopes } from './allow-scopes.sql.ts';

/**
 * Deleted records. The row of a record moves here, so that other queries need no condition that excludes deleted rows.
 * The links of other records to it are stored, too; a restore puts them back.
 */
export const trash: Migration = {
  name: '040-trash',
  sql: `
    CREATE TABLE trash (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      -- Name of the resource, as in the types of its events.
      resource text NOT NULL,
      -- NULL once the entry of a merged record was purged. The rest of the row still leads to the winner.
      record json,
      deletion_id uuid NOT NULL,
      -- The record whose delete included this one.
      cause_id uuid,
      merged_into uuid,
      deleted_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );
    CREATE INDEX trash_age ON trash (org_id, deleted_at, id) WHERE record IS NOT NULL;
    CREATE INDEX trash_resource ON trash (org_id, resource, deleted_at, id) WHERE record IS NOT NULL;
    CREATE INDEX trash_deletion ON trash (org_id, deletion_id);
    CREATE INDEX trash_merged ON trash (org_id, merged_into) WHERE merged_into IS NOT NULL;

    -- Links of other records to a deleted record.
    CREATE TABLE trash_links (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      -- Table, id and field of the other record.
      resource text NOT NULL,
      record_id uuid NOT NULL,
      field text NOT NULL,
      -- Ids before the id in a list; empty for a field with one id.
      preceding uuid[] NOT NULL,
      PRIMARY KEY (org_id, record_id, field, id)
    );
    CREATE INDEX trash_links_deleted ON trash_links (org_id, id);

    -- Returns a list into which ids were put back, each after the nearest of its former predecessors in the list. The
    -- list has at most maximum ids.
    CREATE FUNCTION put_back(list uuid[], links trash_links[], maximum integer) RETURNS uuid[]
      LANGUAGE plpgsql IMMUTABLE AS $$
    DECLARE
      link trash_links;
      place integer;
    BEGIN
      FOREACH link IN ARRAY links LOOP
        CONTINUE WHEN link.id = ANY (list) OR cardinality(list) >= maximum;
        place := NULL;
        FOR i IN REVERSE cardinality(link.preceding)..1 LOOP
          place := array_position(list, link.preceding[i]);
          EXIT WHEN place IS NOT NULL;
        END LOOP;
        place := coalesce(place, 0);
        list := list[:place] || link.id || list[place + 1:];
      END LOOP;
      RETURN list;
    END $$;
    ${allowScopes([
      'records:read',
      'records:write',
      'records:delete',
      'records:erase',
      'activities:write',
      'settings:write',
      'events:read',
      'chat',
      'webhook',
    ])}
  `,
};
