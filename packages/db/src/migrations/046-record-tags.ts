import type { Migration } from '../migration.ts';

const tables = [
  ['accounts', 'account_tags'],
  ['contacts', 'contact_tags'],
  ['opportunities', 'opportunity_tags'],
] as const;

/**
 * A row for each tag of a record, kept by triggers. Its index has the records of a tag in the order of their ids, so that
 * a list counts and skips them without reading the records. Records that exist already get their rows when `relata
 * migrate` builds that index.
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
      tag text COLLATE "C" NOT NULL,
      PRIMARY KEY (org_id, id, tag)
    );

    CREATE FUNCTION keep_${tags}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        DELETE FROM ${tags} WHERE org_id = OLD.org_id AND id = OLD.id;
        RETURN NULL;
      END IF;
      IF TG_OP = 'UPDATE' THEN
        DELETE FROM ${tags} WHERE org_id = OLD.org_id AND id = OLD.id AND tag <> ALL (NEW.tags);
      END IF;
      INSERT INTO ${tags} (org_id, id, tag) SELECT NEW.org_id, NEW.id, tag FROM unnest(NEW.tags) tag
        ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;

    ${trigger('INSERT', `NEW.tags <> '{}'`)}
    ${trigger('UPDATE', 'NEW.tags IS DISTINCT FROM OLD.tags')}
    ${trigger('DELETE', `OLD.tags <> '{}'`)}`;
}
