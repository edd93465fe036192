/** A claim about the whole run of the suite, with the observations that contradict it. */
export interface Check {
  claim: string;
  /** Number of checked items; with 0 the claim is not proved. */
  size: number;
  faults: string[];
}

export function check(claim: string, items: readonly unknown[] | number, faults: string[]): Check {
  return { claim, size: typeof items === 'number' ? items : items.length, faults };
}

/** Returns true if nothing contradicts the claim and at least one item was checked. */
export function holds({ size, faults }: Check): boolean {
  return size > 0 && faults.length === 0;
}

/** Returns the items of `left` that are not in `right`; both may contain an item several times. */
export function minus(left: Iterable<string>, right: Iterable<string>): string[] {
  const counts = countOf(right);
  const missing: string[] = [];
  for (const item of left) {
    const count = counts.get(item) ?? 0;
    if (count === 0) missing.push(item);
    else counts.set(item, count - 1);
  }
  return missing;
}

export function repeated(items: Iterable<string>): string[] {
  return [...countOf(items)].flatMap(([item, count]) => (count > 1 ? [`${item} (${count} times)`] : []));
}

/** Returns the expected items that are missing, and the items that were not expected. */
export function difference(found: readonly string[], expected: readonly string[]): string[] {
  return [
    ...minus(expected, found).map((item) => `missing: ${item}`),
    ...minus(found, expected).map((item) => `too many: ${item}`),
  ];
}

export function countOf(items: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
