import type { Migration } from '../migration.ts';
import { splitWords } from './split-words.sql.ts';

/**
 * Bytes of the id of an organization before each of its words. Equal ones only make a search read more rows, which then
 * are left out.
 */
const prefix = `'*' || right(org::text, 12)`;

/**
 * Functions for the indexes of lists. Their keys contain the organization, so that a search visits no entries of others,
 * and needs no extension. They call only functions of PostgreSQL, because an index is built without our schema in the
 * search path. All are independent of the database's locale: its index would break when the system's library changes.
 * The cost of `list_words` is what it takes, some 50 µs: otherwise the planner would rather split the texts of ten
 * thousand rows than read the index.
 */
export const listKeys: Migration = {
  name: '039-list-keys',
  sql: `
    CREATE FUNCTION list_words(org uuid, given text) RETURNS tsvector
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2500 AS $function$ ${splitWords(prefix)} $function$;

    CREATE FUNCTION list_words_query(org uuid, given text) RETURNS tsquery
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $function$
    BEGIN
      RETURN (SELECT string_agg('''' || lexeme || ''':*', ' & ') FROM unnest(list_words(org, given)))::tsquery;
    END $function$;

    CREATE FUNCTION list_tags(org uuid, tags text[]) RETURNS bigint[]
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $function$
    DECLARE
      tag text;
      keys bigint[] := '{}';
      seed bigint := hashtextextended(org::text COLLATE "C", 0);
    BEGIN
      FOREACH tag IN ARRAY tags LOOP
        keys := keys || hashtextextended(tag COLLATE "C", seed);
      END LOOP;
      RETURN keys;
    END $function$;
  `,
};
