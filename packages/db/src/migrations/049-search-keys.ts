import type { Migration } from '../migration.ts';
import { splitWords } from './split-words.sql.ts';

/**
 * SQL for the part of a record. Part 1 has one sixteenth of all records, part 2 three sixteenths, and part 3 the rest.
 * The part depends on the time in the id, so that records created within a few seconds are in the same part; they are
 * usually in the same page of the table, too. Part 3 has three quarters of every 16 seconds. Part 2 has three quarters
 * of every 3.1 days, except the times of part 3.
 */
const part = `CASE
        WHEN get_byte(uuid_send(id), 4) & 48 > 0 THEN '3'
        WHEN get_byte(uuid_send(id), 2) & 12 > 0 THEN '2'
        ELSE '1' END`;

/**
 * Functions for the index of words, which replace those of migration 039. PostgreSQL reads all index entries of a word
 * before it returns the first match. Each word therefore begins with the number of a part, and a search reads one part
 * after the other until it has ten thousand matches. For a frequent word, the first and smallest part is enough.
 */
export const searchKeys: Migration = {
  name: '049-search-keys',
  sql: `
    CREATE FUNCTION search_words(org uuid, id uuid, given text) RETURNS tsvector
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2500 AS $function$ ${splitWords(`${part} || right(org::text, 12)`)} $function$;

    -- Returns a query for each part. list_words puts '*' before each word; here the part takes its place.
    CREATE FUNCTION search_queries(org uuid, given text) RETURNS SETOF tsquery
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 3 AS $$
      SELECT (SELECT string_agg('''' || part || substr(word, 2) || ''':*', ' & ') FROM unnest(words) word)::tsquery
      FROM (SELECT tsvector_to_array(list_words(org, given)) AS words) given, unnest('{1,2,3}'::text[]) part
    $$;

    -- Returns a query for all parts.
    CREATE FUNCTION search_query(org uuid, given text) RETURNS tsquery
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT string_agg(query::text, ' | ')::tsquery FROM search_queries(org, given) query
    $$;

    -- Returns a regular expression for each word; all must match a lower-case ASCII text. A word begins after the start
    -- or a character that is no letter or digit. Matching takes a quarter of the time of search_words.
    CREATE FUNCTION search_patterns(given text) RETURNS text[]
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT array_agg('(^|[^a-z0-9])' || substr(word, length('*000000000000') + 1))
      FROM unnest(tsvector_to_array(list_words('00000000-0000-0000-0000-000000000000', given))) word
    $$;
  `,
};
