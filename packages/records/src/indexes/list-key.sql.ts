/** Returns the key by which texts are sorted: the same on every machine, and short enough for an index. */
export const textKey = (text: string) => `lower(left(${text}, 100)) COLLATE "C"`;

/** Returns the key of text that is compared as a whole. It may be longer than an index can hold. */
export const hashKey = (text: string, seed = '0') => `hashtextextended(${text}, ${seed})`;

/** Returns SQL for the text of several columns in which words are searched. */
export const searchedText = (columns: readonly string[], row = '') =>
  columns.map((column) => `coalesce(${row}${column}, '')`).join(` || ' ' || `);

/** Returns SQL for the words in several columns; `search_words` is a function of migration 049. */
export const wordsKey = (columns: readonly string[], row = '') =>
  `search_words(${row}org_id, ${row}id, ${searchedText(columns, row)})`;

/** Most searches are for a value, so rows with an empty list are not in the index. */
export const hasValues = (column: string) => `${column} <> '{}'`;
