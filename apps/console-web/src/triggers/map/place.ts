import { jsonEntries, jsonOf, type Key } from '../../ui/text/json.ts';
import { DottedKeys } from './dotted-keys.ts';

/** Place of a value in a delivery: a path for inputs, an expression for filters. */
export interface Place {
  path: string;
  expression: string;
}

export const payload: Place = { path: 'payload', expression: 'payload' };
export const headers: Place = { path: 'headers', expression: 'delivery.headers' };

const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);

/** Returns the place of an item or member; `key` is a number in an array. */
export function placeIn({ path, expression }: Place, key: string | number): Place {
  const isName = typeof key === 'string' && /^[A-Za-z_]\w*$/.test(key) && !reserved.has(key);
  return { path: `${path}.${key}`, expression: expression + (isName ? `.${key}` : `[${JSON.stringify(key)}]`) };
}

/** Maximum length of a path, in characters. A value with a longer path cannot be mapped. */
export const pathCharactersMax = 1_000;

/** True if an input can be mapped from the place. False for all headers together, and for empty parts or long paths. */
export function isMappable({ path }: Place): boolean {
  return path !== 'headers' && path.length <= pathCharactersMax && !path.split('.').includes('');
}

const comparedCharactersMax = 100;

/** Returns a comparison to begin a filter with. For a long value, object or array, returns only the expression. */
export function comparisonText({ expression }: Place, value: unknown): string {
  const text = typeof value === 'object' ? undefined : jsonOf(value);
  return text && text.length <= comparedCharactersMax ? `${expression} == ${text}` : expression;
}

const valuesMax = 2_000;

/** Finds the outermost single value whose key equals the name of an input, except for case and punctuation. */
export function suggestFor(input: string, value: unknown): Place | undefined {
  const wanted = plain(input);
  const dotted = new DottedKeys();
  let level: (readonly [Place, unknown, keys: readonly Key[]])[] = [[payload, value, []]];
  for (let seen = 0; level.length > 0 && seen < valuesMax; seen += level.length) {
    const next = level.flatMap(([place, inner, keys]) =>
      jsonEntries(inner).map(([key, child]) => [placeIn(place, key), child, [...keys, key]] as const),
    );
    const found = next.find(
      ([place, child]) => typeof child !== 'object' && plain(place.path.split('.').at(-1)!) === wanted,
    );
    if (found && isMappable(found[0]) && dotted.leadsTo(value, found[0].path, found[2])) return found[0];
    level = next.slice(0, valuesMax);
  }
  return undefined;
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
