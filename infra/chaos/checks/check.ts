/** A claim about everything that happened, and what contradicts it. */
export interface Check {
  claim: string;
  /** How much it was held against: none proves nothing. */
  size: number;
  /** Each one breaks the claim. */
  faults: string[];
}

/** Whether it holds, and was held against anything at all. */
export function holds({ size, faults }: Check): boolean {
  return size > 0 && faults.length === 0;
}

/** What is in `left` and not in `right`; both may hold a thing several times. */
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

/** What is there more than once. */
export function repeated(items: Iterable<string>): string[] {
  return [...countOf(items)].flatMap(([item, count]) => (count > 1 ? [`${item} (${count} times)`] : []));
}

/** What is expected and missing, and what is there and was not expected. */
export function difference(found: readonly string[], expected: readonly string[]): string[] {
  return [
    ...minus(expected, found).map((item) => `missing: ${item}`),
    ...minus(found, expected).map((item) => `too many: ${item}`),
  ];
}

function countOf(items: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
