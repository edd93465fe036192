import { editDistance } from './edit-distance.ts';

const lengthMax = 64;

/** Returns a sentence with the name that was probably meant; undefined if none is close. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const closest = closestName(name, known);
  return closest === undefined ? undefined : `Did you mean ${closest}?`;
}

/** Returns the closest of the known names; undefined if none is close. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > lengthMax) return undefined;
  const most = Math.max(1, Math.floor(name.length / 3));
  const near = [...known]
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase(), most) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.candidate;
}
