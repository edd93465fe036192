import type { Migration } from '../migration.ts';

const tables = [
  ['accounts', 'account_tags'],
  ['contacts', 'contact_tags'],
  ['opportunities', 'opportunity_tags'],
] as const;

/**
 * A row for each tag of a record, kept by triggers. Its index has the records of a tag in the order of their ids, so that
 * a list counts and skips them without reading the records. Its name says that older records are missing: `relata
 * migrate` adds them and then renames it.
 */
export const recordTags: Migration = {
  name: '046-record-tags',
  sql: tables.map(([records, tags]) => tagsOf(records, tags)).join('\n'),
};

function tagsOf(records: string, tags: string): string {
  const trigger = (event: string, condition: string) =>
    `CREATE TRIGGER keep_tags_${event} AFTER ${event} ON ${records}
       FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION keep_${tags}();`;
  return `
    CREATE TABLE ${tags} (
      org_id uuid NOT NULL,
      id uuid NOT NULL,
      tag text COLLATE "C" NOT NULL
    );
    CREATE UNIQUE INDEX ${tags}_unfilled ON ${tags} (org_id, tag, id);

    CREATE FUNCTION keep_${tags}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        -- Costs a third less than to look for conflicts: a new record has no rows yet.
        INSERT INTO ${tags} (org_id, id, tag) SELECT DISTINCT NEW.org_id, NEW.id, tag FROM unnest(NEW.tags) tag;
      ELSIF TG_OP = 'UPDATE' THEN
        DELETE FROM ${tags} WHERE org_id = OLD.org_id AND id = OLD.id
          AND tag = ANY (ARRAY(SELECT unnest(OLD.tags) EXCEPT SELECT unnest(NEW.tags)));
        INSERT INTO ${tags} (org_id, id, tag) SELECT NEW.org_id, NEW.id, tag FROM unnest(NEW.tags) tag
          ON CONFLICT DO NOTHING;
      ELSE
        DELETE FROM ${tags} WHERE org_id = OLD.org_id AND id = OLD.id AND tag = ANY (OLD.tags);
      END IF;
      RETURN NULL;
    END $$;

    ${trigger('INSERT', `NEW.tags <> '{}'`)}
    ${trigger('UPDATE', 'NEW.tags IS DISTINCT FROM OLD.tags')}
    ${trigger('DELETE', `OLD.tags <> '{}'`)}`;
}
