/** Returns the key by which texts are sorted. It does not depend on the machine, and is short enough for an index. */
export const textKey = (text: string) => `lower(left(${text}, 100)) COLLATE "C"`;

/** Returns the key of a text that is compared as a whole and may be too long for an index. */
export const hashKey = (text: string, seed = '0') => `hashtextextended(${text}, ${seed})`;

/** Returns SQL for the text of several columns in which words are searched. */
export const searchedText = (columns: readonly string[], row = '') =>
  columns.map((column) => `coalesce(${row}${column}, '')`).join(` || ' ' || `);

/** Returns SQL for the words in several columns; `search_words` is a function of migration 049. */
export const wordsKey = (columns: readonly string[], row = '') =>
  `search_words(${row}org_id, ${row}id, ${searchedText(columns, row)})`;

/** Returns the condition of an index that leaves out empty lists, since most searches are for a value. */
export const hasValues = (column: string) => `${column} <> '{}'`;
