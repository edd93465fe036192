import { signingKinds } from './kinds.ts';

/** Makers by the header of their signature; several if kinds share a header. */
const makers = Map.groupBy(
  Object.values(signingKinds).flatMap(({ maker, families }) => families.map(([header]) => ({ maker, header }))),
  ({ header }) => header,
);

/**
 * Returns the makers of the first known signature header in `rawHeaders`, in which names and values alternate. Returns
 * an empty list if there is none.
 */
export function recognizeMakers(rawHeaders: readonly string[]): readonly string[] {
  const names = new Set(rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  const [, found = []] = [...makers].find(([header]) => names.has(header)) ?? [];
  return found.map(({ maker }) => maker);
}
