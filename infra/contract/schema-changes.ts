import type { Description, Schema } from './description.ts';

/** Use of a schema. Requests may allow more than before, and responses may guarantee more. */
export type Use = 'request' | 'response';

interface Compared {
  use: Use;
  /** Location that a report of a change shows: a path, or the name of a component. */
  at: string;
  released: Schema;
  present: Schema;
}

/** Compares the schemas of two descriptions. A schema that both use in many places is compared and reported once. */
export class SchemaComparison {
  readonly #released: Description;
  readonly #present: Description;
  readonly #seen = new Set<string>();

  constructor(released: Description, present: Description) {
    this.#released = released;
    this.#present = present;
  }

  *compare(compared: Compared): Generator<string> {
    const { use } = compared;
    const released = resolve(this.#released, compared.released);
    const present = resolve(this.#present, compared.present);
    const at = released.name === undefined ? compared.at : `${use} ${released.name}`;
    const key = `${at}|${present.name ?? compared.at}`;
    if (released.name !== undefined && this.#seen.has(key)) return;
    this.#seen.add(key);
    yield* this.#compareResolved({ use, at, released: released.schema, present: present.schema });
  }

  *#compareResolved(compared: Compared): Generator<string> {
    const { use, at, released, present } = compared;
    if (released.discriminator ?? present.discriminator) return yield* this.#variantChanges(compared);
    yield* valueChanges(compared);
    for (const [name, schema] of Object.entries(released.properties ?? {})) {
      const member = present.properties?.[name];
      if (member) yield* this.compare({ use, at: `${at}.${name}`, released: schema, present: member });
      else yield `${at}.${name}: removed`;
    }
    yield* requiredChanges(compared);
    if (released.items && present.items)
      yield* this.compare({ use, at: `${at}[]`, released: released.items, present: present.items });
    for (const [index, variant] of (released.anyOf ?? []).entries()) {
      const other = present.anyOf?.[index];
      if (other) yield* this.compare({ use, at: `${at}|${index}`, released: variant, present: other });
      else yield `${at}|${index}: removed`;
    }
  }

  /** Compares the variants of a body by the value of the member that distinguishes them. */
  *#variantChanges({ use, at, released, present }: Compared): Generator<string> {
    const { propertyName: name } = (released.discriminator ?? present.discriminator)!;
    const [before, after] = [variantsOf(released, name), variantsOf(present, name)];
    for (const [value, schema] of before) {
      const other = after.get(value);
      if (!other) yield `${at} with ${name} ${value}: removed`;
      else yield* this.compare({ use, at: `${at} with ${name} ${value}`, released: schema, present: other });
    }
    if (use === 'response')
      for (const value of after.keys()) if (!before.has(value)) yield `${at} with ${name} ${value}: now also`;
  }
}

/** Returns the schema for each value of the distinguishing member, or a single schema if there are no variants. */
function variantsOf(schema: Schema, name: string): Map<string, Schema> {
  if (schema.discriminator)
    return new Map(Object.entries(schema.discriminator.mapping).map(([value, $ref]) => [value, { $ref }]));
  const member = schema.properties?.[name];
  return new Map(
    ((member?.enum ?? []) as string[]).map((value) => {
      const properties = { ...schema.properties, [name]: { ...member, enum: [value] } };
      return [value, { ...schema, properties }];
    }),
  );
}

function resolve({ components }: Description, schema: Schema): { name?: string; schema: Schema } {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? { schema } : { name, schema: components.schemas[name]! };
}

function* valueChanges({ use, at, released, present }: Compared): Generator<string> {
  const [wider, narrower] = use === 'request' ? [present, released] : [released, present];
  for (const type of typesOf(narrower) ?? ['any'])
    if (!hasType(wider, type)) yield `${at}: ${use === 'request' ? 'no longer' : 'now also'} ${type}`;
  const values = new Set(present.enum);
  const isNewEnum = present.enum !== undefined && released.enum === undefined;
  if (use === 'request' && isNewEnum) yield `${at}: no longer any value`;
  for (const value of released.enum ?? [])
    if (present.enum && !values.has(value)) yield `${at}: no longer ${JSON.stringify(value)}`;
  if (use === 'request') yield* boundChanges(at, released, present);
}

const typesOf = ({ type }: Schema) => (typeof type === 'string' ? [type] : type);

function hasType(schema: Schema, type: string): boolean {
  const types = typesOf(schema);
  return types === undefined || types.includes(type) || (type === 'integer' && types.includes('number'));
}

function* boundChanges(at: string, released: Schema, present: Schema): Generator<string> {
  for (const bound of ['minLength', 'minimum', 'minItems'] as const)
    if ((present[bound] ?? -Infinity) > (released[bound] ?? -Infinity)) yield `${at}: larger ${bound}`;
  for (const bound of ['maxLength', 'maximum', 'maxItems'] as const)
    if ((present[bound] ?? Infinity) < (released[bound] ?? Infinity)) yield `${at}: smaller ${bound}`;
}

function* requiredChanges({ use, at, released, present }: Compared): Generator<string> {
  const [before, after] = [new Set(released.required), new Set(present.required)];
  if (use === 'request') {
    for (const name of after.difference(before)) yield `${at}.${name}: now required`;
    const isClosed = present.additionalProperties === false && released.additionalProperties !== false;
    if (isClosed) yield `${at}: no longer other members`;
    return;
  }
  for (const name of before.difference(after))
    if (present.properties?.[name]) yield `${at}.${name}: no longer always there`;
}
