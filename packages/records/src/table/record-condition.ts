/**
 * A comparison of a whole value with `$filter`. The index of its column holds the hash of the value, then the id, so that a
 * range of one hash is in the order of ids.
 */
export interface IndexedText {
  hash: string;
  filterHash: string;
  isSame: string;
}

/** In any case of letters. */
export const anyCase = (column: string): IndexedText => ({
  hash: `hashtextextended(lower(r.${column}), 0)`,
  filterHash: 'hashtextextended(lower($filter), 0)',
  isSame: `lower(r.${column}) = lower($filter)`,
});

/** Letter by letter. */
export const exactly = (column: string): IndexedText => ({
  hash: `hashtextextended(r.${column}, 0)`,
  filterHash: 'hashtextextended($filter, 0)',
  isSame: `r.${column} = $filter`,
});

/** Whole-value comparison in any case of letters; the hash is what the index holds. */
export const sameText = (column: string) => conditionOf(anyCase(column));

export function conditionOf({ hash, filterHash, isSame }: IndexedText): string {
  return `${hash} = ${filterHash} AND ${isSame}`;
}

/** As `conditionOf`, for a planner that is to go by the order of the index. */
export function rangeOf({ hash, filterHash, isSame }: IndexedText): string {
  return `${hash} >= ${filterHash} AND ${hash} <= ${filterHash} AND ${isSame}`;
}

export function sameId(column: string): string {
  return `r.${column} = $filter::uuid`;
}
