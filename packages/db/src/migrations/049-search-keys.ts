import type { Migration } from '../migration.ts';
import { splitWords } from './split-words.sql.ts';

/**
 * One of 16 parts of the records, as a hexadecimal digit. The time in the id decides: in which of four periods of 18.6
 * hours it is, and in which of four periods of 16 seconds. So an import within minutes has four parts, and records of years
 * have 16. In both, neighbors in the table mostly belong to the same part: an index that has the records of a page of the
 * table together is read several times as fast.
 */
const part = 'to_hex((get_byte(uuid_send(id), 2) & 12) | (get_byte(uuid_send(id), 4) >> 6))';

/**
 * Functions for the index that finds words, instead of those of migration 039. An index of words is read to its end before
 * the first match is known. With the part before each word, a search of ten thousand matches ends after as many parts as
 * have them: a part of a large organization has enough of a frequent word.
 */
export const searchKeys: Migration = {
  name: '049-search-keys',
  sql: `
    CREATE FUNCTION search_words(org uuid, id uuid, given text) RETURNS tsvector
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2500 AS $function$ ${splitWords(`${part} || right(org::text, 12)`)} $function$;

    -- Returns a query for each part. Replaces the first character of the words of migration 039.
    CREATE FUNCTION search_queries(org uuid, given text) RETURNS SETOF tsquery
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 16 AS $$
      SELECT (SELECT string_agg('''' || part || substr(word, 2) || ''':*', ' & ') FROM unnest(words) word)::tsquery
      FROM (SELECT tsvector_to_array(list_words(org, given)) AS words) given, string_to_table('0123456789abcdef', NULL) part
    $$;

    -- Returns a query for all parts.
    CREATE FUNCTION search_query(org uuid, given text) RETURNS tsquery
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT string_agg(query::text, ' | ')::tsquery FROM search_queries(org, given) query
    $$;
  `,
};
