const lengthMax = 64;

/** The name that was probably meant, as a sentence; undefined where none is near. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const closest = closestName(name, known);
  return closest === undefined ? undefined : `Did you mean ${closest}?`;
}

/** The nearest of the known names; undefined where none is near. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > lengthMax) return undefined;
  const most = Math.max(1, Math.floor(name.length / 3));
  const near = [...known]
    .map((candidate) => ({ candidate, edits: countEdits(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.candidate;
}

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function countEdits(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, isSwap ? before[j - 2]! + 1 : Infinity));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
