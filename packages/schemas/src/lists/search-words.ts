/** Maximum number of words in `q`. */
export const searchWordsMax = 5;
/** Minimum length of each word, in characters. */
export const searchWordMin = 2;

/**
 * Splits text into words at every character that is neither a letter nor a digit. Marks, such as accents and the vowel
 * signs of Indic scripts, belong to the word before them. The words are in Unicode's composed form (NFC).
 */
export function searchWords(text: string): string[] {
  return text.normalize('NFC').match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
}
