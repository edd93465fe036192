import { editDistance } from '@relata/schemas/edit-distance';
import type { SlicedWork } from '@relata/schemas/time-slices';
import type { KnowledgePage } from '../pages/page.ts';
import { toTerm, splitWords } from '../words/terms.ts';

/** Words that the pages use. */
export interface Vocabulary {
  hasTerm(term: string): boolean;
  /** Returns the known word that a misspelt word most likely stands for; undefined if no word is similar enough. */
  correct(word: string): SlicedWork<string | undefined>;
}

export interface Words {
  terms: ReadonlySet<string>;
  nearest(word: string): SlicedWork<Near | undefined>;
}

/** A word of the pages that differs from a given word by a few typing errors, and how often it occurs. */
interface Near {
  word: string;
  slips: number;
  count: number;
}

/**
 * Minimum length of words for which every typing error is corrected, since shorter words resemble too many others. In
 * shorter words, only swapped letters and a single instead of a double letter are corrected.
 */
const correctedLengthMin = 6;
const swappedLengthMin = 3;

/** Minimum length of words in which two typing errors are corrected. */
const longLength = 10;

/** Maximum number of known words with which a word is compared in a step: about 10 ms for long words that are alike. */
const comparedInStep = 500;

export function createWords(pages: readonly KnowledgePage[]): Words {
  const terms = new Set<string>();
  const byLetter = new Map<string, Map<string, number>>();
  for (const word of pages.flatMap(textsOf).flatMap(splitWords)) {
    const term = toTerm(word);
    if (term === null) continue;
    terms.add(term);
    const counts = byLetter.get(word.charAt(0)) ?? new Map<string, number>();
    for (const form of new Set([word, term])) counts.set(form, (counts.get(form) ?? 0) + 1);
    byLetter.set(word.charAt(0), counts);
  }
  return { terms, nearest: (word) => nearest(word, byLetter.get(word.charAt(0)) ?? new Map()) };
}

function textsOf({ title, passages }: KnowledgePage): string[] {
  return [title, ...passages.map(({ markdown }) => markdown)];
}

export function createVocabulary(words: readonly Words[]): Vocabulary {
  return {
    hasTerm: (term) => words.some(({ terms }) => terms.has(term)),
    *correct(word) {
      const near: Near[] = [];
      for (const each of words) {
        const found = yield* each.nearest(word);
        if (found) near.push(found);
      }
      return near.toSorted((a, b) => a.slips - b.slips || b.count - a.count).at(0)?.word;
    },
  };
}

/**
 * Returns the nearest word with the same first letter, which few people get wrong. If two words are equally near, it
 * returns the more frequent one.
 */
function* nearest(word: string, counts: ReadonlyMap<string, number>): SlicedWork<Near | undefined> {
  if (word.length < swappedLengthMin) return undefined;
  const slipsMax = word.length < longLength ? 1 : 2;
  let best: Near | undefined;
  let compared = 0;
  for (const [candidate, count] of counts) {
    if (compared++ % comparedInStep === 0) yield;
    if (isShort(word, candidate) && !isSwap(word, candidate) && !isUndoubled(word, candidate)) continue;
    const slips = editDistance(word, candidate, slipsMax);
    const isNearer = !best || slips < best.slips || (slips === best.slips && count > best.count);
    if (slips <= slipsMax && isNearer) best = { word: candidate, slips, count };
  }
  return best;
}

function isShort(word: string, candidate: string): boolean {
  return word.length < correctedLengthMin || candidate.length < correctedLengthMin - 1;
}

function isSwap(a: string, b: string): boolean {
  const sorted = (word: string) => word.split('').toSorted().join('');
  return a.length === b.length && sorted(a) === sorted(b);
}

/** Returns true for a missing double letter, such as "fre" for "free". */
function isUndoubled(word: string, candidate: string): boolean {
  return candidate.length === word.length + 1 && candidate.replace(/(.)\1/u, '$1') === word;
}
