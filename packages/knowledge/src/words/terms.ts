import { stemmer } from 'stemmer';
import { baseForm } from './irregular-forms.ts';
import { joinPhrases } from './phrases.ts';
import { stopWords } from './stop-words.ts';

/** Maximum length of a word; longer runs of letters are cut. */
const wordLengthMax = 40;

/** Returns text in lower case without accents, and with one spelling for variants such as "sign in" and "login". */
function normalize(text: string): string {
  return joinPhrases(
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .replace(/['’‘`](?:s|re|ve|ll|d|m)\b|['’‘`]/g, ''),
  );
}

/** Returns the normalized words of a text in order. Letters and digits are separated: "soc2" becomes "soc" and "2". */
export function splitWords(text: string): string[] {
  return (
    normalize(text)
      .match(/\p{L}+|\p{N}+/gu)
      ?.flatMap(partsOf) ?? []
  );
}

/** Splits a run of letters. In scripts without spaces, each pair of characters counts as a word. */
function partsOf(run: string): string[] {
  if (!/[^a-z]/.test(run) || !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(run))
    return [run.slice(0, wordLengthMax)];
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => characters[i]! + character);
}

const cache = new Map<string, string | null>();
const cachedMax = 50_000;

/** Returns the stem of a normalized word; null for a stop word. */
export function toTerm(word: string): string | null {
  const known = cache.get(word);
  if (known !== undefined) return known;
  if (cache.size >= cachedMax) cache.clear();
  const term = stopWords.has(word) ? null : stemmer(baseForm(word));
  cache.set(word, term);
  return term;
}

/** Returns the terms of a text in order, including repetitions. */
export function extractTerms(text: string): string[] {
  return splitWords(text).flatMap((word) => toTerm(word) ?? []);
}
