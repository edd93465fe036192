import { jsonEntries } from '../ui/text/json.ts';
import { isMappable, pathCharactersMax, type Place, placeIn, payload } from '../triggers/map/place.ts';

/** A single value of a body, an empty object or array, or a part whose path is too long to go deeper. */
export interface Field {
  place: Place;
  value: unknown;
  /** True if a mapping with this path reads this value. */
  hasPath: boolean;
}

/** Returns the first `max` fields of a body, in its order, without reading the rest. */
export function bodyFields(body: unknown, max: number): Field[] {
  const dotted = new DottedKeys();
  const fields: Field[] = [];
  for (const [place, value, keys] of walk(body, payload, [])) {
    fields.push({ place, value, hasPath: isMappable(place) && isSame(keys, dotted.along(body, place.path)) });
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

const isSame = (keys: readonly string[], found: readonly string[] | undefined) =>
  found?.length === keys.length && keys.every((key, at) => key === found[at]);

/**
 * Resolves a path in the same way as the mapping of an input: a key that contains dots wins over the nested path of the
 * same name, and a longer key over a shorter one.
 */
class DottedKeys {
  readonly #known = new Map<object, readonly string[]>();

  along(body: unknown, path: string): string[] | undefined {
    return this.#find(body, path, payload.path.length + 1);
  }

  #find(value: unknown, path: string, at: number): string[] | undefined {
    if (at > path.length) return [];
    if (typeof value !== 'object' || value === null) return undefined;
    for (const key of this.#next(value, path, at)) {
      const rest = this.#find((value as Record<string, unknown>)[key], path, at + key.length + 1);
      if (rest) return [key, ...rest];
    }
    return undefined;
  }

  #next(value: object, path: string, at: number): string[] {
    const end = path.indexOf('.', at);
    const plain = path.slice(at, end === -1 ? undefined : end);
    const isNext = (key: string) => path.startsWith(key, at) && [undefined, '.'].includes(path[at + key.length]);
    return [...this.#of(value).filter(isNext), ...(Object.hasOwn(value, plain) ? [plain] : [])];
  }

  #of(value: object): readonly string[] {
    const known = this.#known.get(value);
    if (known) return known;
    const keys = Array.isArray(value) ? [] : Object.keys(value).filter((key) => key.includes('.'));
    const found = keys.toSorted((one, other) => other.length - one.length);
    this.#known.set(value, found);
    return found;
  }
}
