// Migrations 039 and 049 use this code. It must never change: the words in an index would no longer match those of a
// search.

import { lettersAndDigits, lowerCase, marks, type Ranges } from './word-characters.ts';

/** Returns ranges as the content of a bracket expression. */
const bracket = (ranges: Ranges) => ranges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('');
const escaped = (codePoint: number) => `\\U${codePoint.toString(16).padStart(8, '0')}`;

const begins = bracket(lettersAndDigits);
const continues = begins + bracket(marks);

/** First characters of groups of letters that occur together: Latin, Greek, Cyrillic, and the rest. */
const groups = ['\u0000', '\u0100', '\u0370', '\u0410', '\u0430'];
const groupOf = (letter: string) => groups.findLastIndex((first) => letter >= first);

const notAscii = [...lowerCase].filter(([upper]) => upper > '\u007f');
/**
 * SQL that converts `words` to lower case. `translate` compares each character with the whole list, so each group of
 * letters has its own list, and is skipped if it has nothing to convert.
 */
const toLowerCase = [...Map.groupBy(notAscii, ([upper]) => groupOf(upper)).values()]
  .map((pairs) => {
    const [upper, lower] = [0, 1].map((side) => pairs.map((pair) => pair[side]).join(''));
    return `IF words ~ '[${upper}]' THEN words := translate(words, '${upper}', '${lower}'); END IF;`;
  })
  .join('\n');

/** Longest word in characters; a lexeme has at most 2,046 bytes. */
const wordLengthMax = 500;

/**
 * Returns the body of a function that splits the text `given` into words, in lower case and composed form. `prefix` is
 * SQL for a text without spaces to put before each word.
 */
export function splitWords(prefix: string): string {
  return `
    DECLARE
      words text;
      prefix text := ${prefix};
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
      RETURN array_to_tsvector(string_to_array(prefix || replace(words, ' ', ' ' || prefix), ' '));
    END`;
}
