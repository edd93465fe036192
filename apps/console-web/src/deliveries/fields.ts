import { jsonEntries } from '../ui/text/json.ts';
import { DottedKeys } from '../triggers/map/dotted-keys.ts';
import { isMappable, pathCharactersMax, type Place, placeIn, payload } from '../triggers/map/place.ts';

/** A single value of a body, an empty object or array, or a nested value whose path has reached the maximum length. */
export interface Field {
  place: Place;
  value: unknown;
  /** True if a mapping can read this value by its path. */
  hasPath: boolean;
}

/** Returns the first `max` fields of a body, in its order, without reading the rest. */
export function bodyFields(body: unknown, max: number): Field[] {
  const dotted = new DottedKeys();
  const fields: Field[] = [];
  for (const [place, value, keys] of walk(body, payload, [])) {
    fields.push({ place, value, hasPath: isMappable(place) && dotted.leadsTo(body, place.path, keys) });
    if (fields.length === max) break;
  }
  return fields;
}

type Step = readonly [place: Place, value: unknown, keys: readonly string[]];

function* walk(value: unknown, at: Place, keys: readonly string[]): Generator<Step> {
  const entries = at.path.length > pathCharactersMax ? [] : jsonEntries(value);
  if (entries.length === 0) yield [at, value, keys];
  for (const [key, child] of entries) yield* walk(child, placeIn(at, key), [...keys, String(key)]);
}
