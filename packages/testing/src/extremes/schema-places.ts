import { isRecord } from '@relata/schemas';
import { type JsonSchema, resolve, typesOf } from './json-schema.ts';

type Path = readonly (string | number)[];

/** Location of a value or list within a body, with its schema. */
export interface Place {
  path: Path;
  schema: JsonSchema;
  /** A valid element, if it is a list. */
  element?: unknown;
}

/** Ids of existing records, by the field that refers to them. */
export type References = Readonly<Record<string, unknown>>;

/** Yields every location that the schema allows in a valid body. Visits only the last element of a list. */
export function* placesIn(
  schema: JsonSchema,
  body: unknown,
  references: References,
  path: Path = [],
): Generator<Place> {
  const known = resolve(schema, body);
  if (known.readOnly) return;
  const types = typesOf(known);
  if (types.includes('object'))
    for (const [name, member] of Object.entries(known.properties ?? {}))
      yield* placesIn(member, isRecord(body) ? body[name] : undefined, references, [...path, name]);
  else if (types.includes('array')) {
    const last = Array.isArray(body) && body.length > 0 ? body.length - 1 : 0;
    const items = known.items ?? {};
    const element: unknown =
      (Array.isArray(body) ? body[last] : undefined) ?? elementOf(items, references[path.at(-1)!]);
    yield { path, schema: known, element };
    yield* placesIn(items, element, references, [...path, last]);
  } else yield { path, schema: known };
}

function elementOf(schema: JsonSchema, reference: unknown): unknown {
  if (Array.isArray(reference)) return reference[0];
  const { minLength = 1 } = resolve(schema);
  return typesOf(resolve(schema)).includes('string') ? 'x'.repeat(minLength) : {};
}

/** Returns a copy of a body with this value at a path. Creates the missing objects and lists along the path. */
export function withValue(body: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  const inner = (body as Record<string | number, unknown> | undefined)?.[name];
  const changed = withValue(inner, rest, value);
  if (typeof name === 'number')
    return Object.assign(Array.isArray(body) ? [...(body as unknown[])] : [], { [name]: changed });
  return { ...(body as object | undefined), [name]: changed };
}
