/** Whole-value comparison in any case of letters; the hash is what the index holds. */
export function sameText(column: string): string {
  return `hashtextextended(lower(r.${column}), 0) = hashtextextended(lower($filter), 0) AND lower(r.${column}) = lower($filter)`;
}

/** Whole-value comparison, letter by letter; the hash is what the index holds. */
export function sameExactText(column: string): string {
  return `hashtextextended(r.${column}, 0) = hashtextextended($filter, 0) AND r.${column} = $filter`;
}

export function sameId(column: string): string {
  return `r.${column} = $filter::uuid`;
}
