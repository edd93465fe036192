import type { Migration } from '../migration.ts';
import { splitWords } from './split-words.sql.ts';

/**
 * SQL for the prefix of each word: the end of the organization's id. If two organizations have the same prefix, a
 * search reads more rows and leaves out those of the other organization.
 */
const prefix = `'*' || right(org::text, 12)`;

/**
 * Functions for the indexes of lists. The keys contain the organization, so that a search reads no entries of other
 * organizations and needs no extension. They call only functions of PostgreSQL, because an index is built without our
 * schema in the search path. They do not depend on the database's locale: an index that did would break when the
 * system's library changes. `list_words` declares its real cost, some 50 µs: otherwise the planner would split the
 * texts of ten thousand rows instead of reading the index.
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
