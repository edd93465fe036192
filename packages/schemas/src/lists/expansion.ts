import { z } from 'zod';
import type { Shape } from '../fields/field.ts';

/** A resource whose records `expand` can add to other records. */
interface Expandable {
  plural: string;
  /** A record in a response. */
  answered: z.ZodObject;
}

/** A related record that `expand` adds to a record in a response. */
export interface Expansion {
  /** Plural of its resource. */
  plural: string;
  /** Field with the id of the record; if undefined, the table in `packages/records` defines how it is found. */
  field?: string;
  answered: z.ZodObject;
}

/** Target of each reference: the plural of a resource, or the resource itself if `expand` may add its record. */
export type References<Field extends PropertyKey> = { readonly [Each in Field]?: string | Expandable };

/** Records that can be added although no field has their id, by name. */
export type MoreExpansions = Readonly<Record<string, Expandable>>;

/** Returns the plurals of the resources that fields refer to. */
export function pluralsOf(references: References<string>): Record<string, string> {
  return mapValues(references, (to) => (typeof to === 'object' ? to.plural : to!));
}

/** Returns what `expand` can add, by name: `account` for `account_id`. */
export function expansionsOf(references: References<string>, more: MoreExpansions = {}): Record<string, Expansion> {
  const direct = Object.entries(references).flatMap(([field, to]) =>
    typeof to === 'object' ? [[field.replace(/_id$/, ''), { plural: to.plural, field, answered: to.answered }]] : [],
  );
  return {
    ...(Object.fromEntries(direct) as Record<string, Expansion>),
    ...mapValues(more, ({ plural, answered }) => ({ plural, answered })),
  };
}

/** Returns the members that `expand` adds. */
export function expandedMembers(expansions: Readonly<Record<string, Expansion>>) {
  // With a description of its own, the member would not be a reference to the type of the record.
  return mapValues(expansions, ({ answered }) => answered.optional());
}

function mapValues<Value, Mapped>(of: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]));
}

/** Returns the parameter `expand`; no parameter if there is nothing to add. */
export function expandParameter(names: readonly string[]): Shape {
  if (names.length === 0) return {};
  const description =
    `Related records to add: ${quoted(names)}, separated by commas. Each is added as a member of this name, which is ` +
    'absent if there is no such record.';
  return { expand: namesIn(names, description, names.slice(0, 2)) };
}

/** Returns the parameter `fields`. */
export function fieldsParameter(names: readonly string[]) {
  const description =
    'Fields of the records to return, separated by commas. All other fields are left out, also those that are otherwise ' +
    'always present, except for `id` and what `expand` adds.';
  return { fields: namesIn(names, description, names.slice(0, 2)) };
}

/** Accepts names separated by commas. A name may occur several times. */
function namesIn(names: readonly string[], description: string, example: readonly string[]) {
  return z
    .string()
    .check((ctx) => {
      const { value, issues } = ctx;
      if (value.split(',').some((each) => !names.includes(each)))
        issues.push({ code: 'invalid_value', values: [...names], input: value });
    })
    .transform((value) => [...new Set(value.split(','))])
    .optional()
    .meta({ type: 'string', description, param: { example: example.join(',') } });
}

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
