import type { Concept, WantedTerm } from './concepts.ts';
import { type Field, firstFrom, type Postings } from './field.ts';

/** Passages by number, from the first to before the second. */
export type Range = readonly [from: number, to: number];

/** How soon more of a term adds nothing, how much a field's length counts, and what any match adds. */
const [k, b, d] = [1.2, 0.7, 0.5];

/**
 * Scores passages by BM25+, over several fields, each times the number of concepts that it has. Only the ranges are
 * looked at: what is outside of them has no score and no part in what is rare and what is long. The terms of a concept
 * come one after the other.
 */
export function scoresOf(
  terms: readonly WantedTerm[],
  fields: readonly Field[],
  ranges: readonly Range[],
): Float64Array {
  const scores = new Float64Array(endOf(ranges));
  const matches = new Uint16Array(scores.length);
  const lastMatch = new Uint16Array(scores.length);
  const lengths = fields.map((field) => averageLength(field, ranges));
  for (const [term, weight, i] of terms) {
    for (const [f, { postings, lengths: own, weight: fieldWeight }] of fields.entries()) {
      const found = postings.get(term);
      if (!found) continue;
      const factor = weight * fieldWeight * rarity(countWithin(found, ranges), ranges);
      forEachWithin(found, ranges, (passage, count) => {
        const length = own[passage]! / lengths[f]!;
        scores[passage]! += factor * (d + (count * (k + 1)) / (count + k * (1 - b + b * length)));
        if (lastMatch[passage] !== i + 1) matches[passage]! += 1;
        lastMatch[passage] = i + 1;
      });
    }
  }
  return scores.map((score, passage) => score * matches[passage]!);
}

/** How much a concept says: the more the fewer passages have one of its terms. */
export function conceptRarity(concept: Concept, fields: readonly Field[], ranges: readonly Range[]): number {
  const isCounted = new Uint8Array(endOf(ranges));
  let count = 0;
  for (const term of concept.keys()) {
    for (const { postings } of fields) {
      const found = postings.get(term);
      if (!found) continue;
      forEachWithin(found, ranges, (passage) => {
        count += 1 - isCounted[passage]!;
        isCounted[passage] = 1;
      });
    }
  }
  return rarity(count, ranges);
}

export function hasTerm({ postings }: Field, term: string, passage: number): boolean {
  const passages = postings.get(term)?.passages;
  return passages !== undefined && passages[firstFrom(passages, passage)] === passage;
}

function rarity(count: number, ranges: readonly Range[]): number {
  return Math.log(1 + (sizeOf(ranges) - count + 0.5) / (count + 0.5));
}

function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}

function endOf(ranges: readonly Range[]): number {
  return Math.max(0, ...ranges.map(([, to]) => to));
}

function averageLength({ lengthsBefore }: Field, ranges: readonly Range[]): number {
  const sum = ranges.reduce((all, [from, to]) => all + lengthsBefore[to]! - lengthsBefore[from]!, 0);
  return sum / sizeOf(ranges) || 1;
}

function countWithin({ passages }: Postings, ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + firstFrom(passages, to) - firstFrom(passages, from), 0);
}

function forEachWithin(
  { passages, counts }: Postings,
  ranges: readonly Range[],
  visit: (passage: number, count: number) => void,
): void {
  for (const [from, to] of ranges) {
    const end = firstFrom(passages, to);
    for (let at = firstFrom(passages, from); at < end; at += 1) visit(passages[at]!, counts[at]!);
  }
}
