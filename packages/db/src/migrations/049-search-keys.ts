import type { Migration } from '../migration.ts';
import { splitWords } from './split-words.sql.ts';

/**
 * Part of the records to which one belongs: 1 has a sixteenth of them, 2 three sixteenths, 3 the rest. The time in the id
 * decides, so that a part has several records of each page of the table that it has any of; those are found together.
 * Part 3 has three quarters of every 16 seconds, part 2 three quarters of what is left of every 3.1 days.
 */
const part = `CASE
        WHEN get_byte(uuid_send(id), 4) & 48 > 0 THEN '3'
        WHEN get_byte(uuid_send(id), 2) & 12 > 0 THEN '2'
        ELSE '1' END`;

/**
 * Functions for the index that finds words, instead of those of migration 039. An index of words is read to its end before
 * the first match is known, so each word begins with a part, and a search reads one part after the other. It ends once
 * they have ten thousand matches: for a word that many records have, with the first and smallest part.
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

    -- Returns a regular expression for each word; all must match a lower-case ASCII text. A word begins after the start or
    -- a character that is no letter or digit. They take a quarter of the time of search_words.
    CREATE FUNCTION search_patterns(given text) RETURNS text[]
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT array_agg('(^|[^a-z0-9])' || substr(word, length('*000000000000') + 1))
      FROM unnest(tsvector_to_array(list_words('00000000-0000-0000-0000-000000000000', given))) word
    $$;
  `,
};
