import { termsOf } from '../words/terms.ts';

/** The passages of a field that contain a term. */
export interface Postings {
  /** Numbers of passages, ascending. */
  passages: Uint32Array;
  /** How often in each; 255 for more. */
  counts: Uint8Array;
}

/** What passages have in common that is searched as one: titles, headings, text. */
export interface Field {
  postings: ReadonlyMap<string, Postings>;
  /** Terms of each passage. */
  lengths: Uint32Array;
  /** Terms of all passages before each, and at the end of all. */
  lengthsBefore: Float64Array;
  /** How much a match counts. */
  weight: number;
}

/** Indexes one text of each passage. Takes about 5 bytes for each term of each passage. */
export function createField(texts: readonly string[], weight: number): Field {
  const growing = new Map<string, { passages: number[]; counts: number[] }>();
  const lengths = new Uint32Array(texts.length);
  for (const [passage, text] of texts.entries()) {
    const terms = termsOf(text);
    lengths[passage] = terms.length;
    for (const [term, count] of countsOf(terms)) {
      const postings = growing.get(term) ?? { passages: [], counts: [] };
      postings.passages.push(passage);
      postings.counts.push(Math.min(count, 255));
      growing.set(term, postings);
    }
  }
  const postings = new Map<string, Postings>();
  for (const [term, { passages, counts }] of growing) {
    postings.set(term, { passages: Uint32Array.from(passages), counts: Uint8Array.from(counts) });
    growing.delete(term);
  }
  return { postings, lengths, lengthsBefore: sumsOf(lengths), weight };
}

function sumsOf(lengths: Uint32Array): Float64Array {
  const sums = new Float64Array(lengths.length + 1);
  for (const [at, length] of lengths.entries()) sums[at + 1] = sums[at]! + length;
  return sums;
}

function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** The index of the first of ascending numbers that is not below `least`. */
export function firstFrom(numbers: Uint32Array, least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
