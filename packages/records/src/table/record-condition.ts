/**
 * A comparison of a whole value with `$filter`. The index of its column holds the hash of the value and then the id, so
 * that the rows of one hash are in the order of their ids.
 */
export interface IndexedText {
  hash: string;
  filterHash: string;
  isSame: string;
}

export const anyCase = (column: string): IndexedText => ({
  hash: `hashtextextended(lower(r.${column}), 0)`,
  filterHash: 'hashtextextended(lower($filter), 0)',
  isSame: `lower(r.${column}) = lower($filter)`,
});

export const exactly = (column: string): IndexedText => ({
  hash: `hashtextextended(r.${column}, 0)`,
  filterHash: 'hashtextextended($filter, 0)',
  isSame: `r.${column} = $filter`,
});

/** Returns a condition for whole values in any case; the index holds the hash. */
export const sameText = (column: string) => textCondition(anyCase(column));

export function textCondition({ hash, filterHash, isSame }: IndexedText): string {
  return `${hash} = ${filterHash} AND ${isSame}`;
}

/** Like `textCondition`, for a planner that must use the order of the index. */
export function textRange({ hash, filterHash, isSame }: IndexedText): string {
  return `${hash} >= ${filterHash} AND ${hash} <= ${filterHash} AND ${isSame}`;
}

export function sameId(column: string): string {
  return `r.${column} = $filter::uuid`;
}
