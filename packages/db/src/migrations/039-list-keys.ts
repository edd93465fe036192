import type { Migration } from '../migration.ts';
import { lettersAndDigits, lowerCase, marks, type Ranges } from './word-characters.ts';

/** Returns ranges as the inside of a bracket expression. */
const bracket = (ranges: Ranges) => ranges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('');
const escaped = (codePoint: number) => `\\U${codePoint.toString(16).padStart(8, '0')}`;

const begins = bracket(lettersAndDigits);
const continues = begins + bracket(marks);

/** First characters of groups of letters that occur together: Latin, Greek, Cyrillic, and the rest. */
const groups = ['\u0000', '\u0100', '\u0370', '\u0410', '\u0430'];
const groupOf = (letter: string) => groups.findLastIndex((first) => letter >= first);

/**
 * Converts `words` to lower case. `translate` compares each character with the whole list, so each group of letters has
 * its own list, and is skipped if it has nothing to convert.
 */
const notAscii = [...lowerCase].filter(([upper]) => upper > '\u007f');
const toLowerCase = [...Map.groupBy(notAscii, ([upper]) => groupOf(upper)).values()]
  .map((pairs) => {
    const [upper, lower] = [0, 1].map((side) => pairs.map((pair) => pair[side]).join(''));
    return `IF words ~ '[${upper}]' THEN words := translate(words, '${upper}', '${lower}'); END IF;`;
  })
  .join('\n');

/**
 * Bytes of the id of an organization before each of its words. Equal ones only make a search read more rows, which then
 * are left out.
 */
const prefix = `'*' || right(org::text, 12)`;

/** Longest word in characters; a lexeme has at most 2,046 bytes. */
const wordLengthMax = 500;

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
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2500 AS $function$
    DECLARE words text;
    BEGIN
      IF octet_length(given) = char_length(given) THEN
        words := regexp_replace(lower(given COLLATE "C"), '[^a-z0-9]+' COLLATE "C", ' ', 'g');
      ELSE
        words := normalize(given, NFC) COLLATE "C";
        -- Marks at the beginning and after other separators belong to no word.
        words := regexp_replace(words, '(^|[^${continues}])[^${begins}]*' COLLATE "C", ' ', 'g');
        words := lower(words COLLATE "C");
        ${toLowerCase}
      END IF;
      words := btrim(words);
      IF words = '' THEN RETURN ''; END IF;
      IF octet_length(words) > ${wordLengthMax} THEN
        words := (SELECT string_agg(left(word, ${wordLengthMax}), ' ') FROM string_to_table(words, ' ') AS word);
      END IF;
      RETURN array_to_tsvector(string_to_array(${prefix} || replace(words, ' ', ' ' || ${prefix}), ' '));
    END $function$;

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
