import { type JsonSchema, typesOf } from './json-schema.ts';

/** A value at the edge of a schema, or just beyond it. */
export interface Extreme {
  /** Name of the extreme for failure messages, such as `longest`. */
  name: string;
  value: unknown;
  /** True if the schema allows it, false if not; undefined if the schema does not say. */
  isAllowed: boolean | undefined;
}

const allowed = (name: string, value: unknown): Extreme => ({ name, value, isAllowed: true });
const refused = (name: string, value: unknown): Extreme => ({ name, value, isAllowed: false });
const open = (name: string, value: unknown): Extreme => ({ name, value, isAllowed: undefined });

/** Returns the extreme values of a schema. `element` is a valid element of a list. */
export function extremesOf(schema: JsonSchema, element?: unknown): Extreme[] {
  const types = typesOf(schema);
  if (types.length === 0) return [];
  const type = types.find((each) => each !== 'null');
  const withNull = { name: 'null', value: null, isAllowed: types.includes('null') };
  return [withNull, ...valuesOf(type!, schema, element)];
}

function valuesOf(type: string, schema: JsonSchema, element: unknown): Extreme[] {
  if (schema.enum) return [...schema.enum.map((each) => allowed('choice', each)), refused('no choice', 'nonsense')];
  if (type === 'string') return texts(schema);
  if (type === 'integer' || type === 'number') return numbers(type, schema);
  if (type === 'boolean') return [allowed('true', true), allowed('false', false), refused('text', 'true')];
  return type === 'array' ? lists(schema, element) : [];
}

function texts({ format, minLength = 0, maxLength }: JsonSchema): Extreme[] {
  if (format === 'uuid')
    return [refused('no id', 'nonsense'), open('largest id', `${'f'.repeat(8)}-ffff-ffff-ffff-${'f'.repeat(12)}`)];
  if (format === 'date-time') return times;
  if (maxLength === undefined) return [open('long', 'x'.repeat(4_000))];
  const ofLength = format === 'email' ? email : (length: number) => 'x'.repeat(length);
  return [
    allowed('longest', ofLength(maxLength)),
    refused('one character longer', ofLength(maxLength + 1)),
    ...(format === 'email' ? [refused('empty', '')] : lengths(minLength, maxLength)),
  ];
}

/** Returns strings around the minimum length, and a string of maximum length with four bytes per character. */
function lengths(min: number, max: number): Extreme[] {
  const shorter = min > 0 ? [refused('one character shorter', 'x'.repeat(min - 1))] : [];
  return [allowed('shortest', 'x'.repeat(min)), ...shorter, allowed('longest of emoji', '🦾'.repeat(max))];
}

/** Returns an email address of exactly this length. */
function email(length: number): string {
  const labels = 'a@'.concat(`${'b'.repeat(63)}.`.repeat(Math.ceil(length / 64))).slice(0, length);
  return labels.endsWith('.') ? `${labels.slice(0, -2)}.b` : labels;
}

const times: Extreme[] = [
  allowed('first time', '0001-01-01T00:00:00Z'),
  allowed('last time', '9999-12-31T23:59:59.999Z'),
  refused('before the first time', '0001-01-01T00:00:00+00:01'),
  refused('after the last time', '9999-12-31T23:59:59.999-00:01'),
  refused('large year', '+275760-09-13T00:00:00Z'),
];

function numbers(type: string, schema: JsonSchema): Extreme[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const [least, most] = [minimum ?? shifted(exclusiveMinimum, 1), maximum ?? shifted(exclusiveMaximum, -1)];
  const [below, above] = [exclusiveMinimum ?? shifted(minimum, -1), exclusiveMaximum ?? shifted(maximum, 1)];
  return [
    // Without a bound in the schema, every safe integer must be accepted.
    allowed('least', least ?? Number.MIN_SAFE_INTEGER),
    allowed('most', most ?? Number.MAX_SAFE_INTEGER),
    ...(below === undefined ? [] : [refused('below the least', below)]),
    ...(above === undefined ? [] : [refused('above the most', above)]),
    ...[2 ** 53, 2 ** 63, 1e308, -1e308, 5e-324].map((value) => open(String(value), value)),
    ...(type === 'integer' ? [refused('a fraction', (least ?? 0) + 0.5)] : []),
  ];
}

const shifted = (bound: number | undefined, step: number) => (bound === undefined ? undefined : bound + step);

function lists({ minItems = 0, maxItems }: JsonSchema, element: unknown): Extreme[] {
  const ofLength = (length: number) => Array.from({ length }, () => element);
  return [
    allowed('fewest', ofLength(minItems)),
    ...(minItems > 0 ? [refused('one fewer', ofLength(minItems - 1))] : []),
    ...(maxItems === undefined
      ? [open('many', ofLength(10_000))]
      : [allowed('largest', ofLength(maxItems)), refused('one more', ofLength(maxItems + 1))]),
  ];
}
