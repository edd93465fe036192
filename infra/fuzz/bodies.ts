import type { Random } from '@relata/testbed/random';
import { hostileValue, prototypeKeys, withRaw } from './hostile.ts';
import type { JsonSchema } from './surface.ts';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Returns a random value, which the schema usually allows. */
export function valueOf(schema: JsonSchema, random: Random, ids: readonly string[], level = 0): unknown {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return valueOf(random.pick(choices), random, ids, level);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  switch (type) {
    case 'object':
      return objectOf(schema, random, ids, level);
    case 'array':
      return Array.from({ length: level > 3 ? 0 : random.between(0, 3) }, () =>
        valueOf(schema.items ?? {}, random, ids, level + 1),
      );
    case 'integer':
    case 'number':
      return random.pick([schema.minimum ?? 1, schema.maximum ?? 100, 1, 10]);
    case 'boolean':
      return random.has(0.5);
    case 'null':
      return null;
    default:
      return textOf(schema, random, ids);
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  random: Random,
  ids: readonly string[],
  level: number,
) {
  const fields: Fields = {};
  for (const [name, schema] of Object.entries(properties))
    if (required.includes(name) || (level < 4 && random.has(0.4)))
      fields[name] = valueOf(schema, random, ids, level + 1);
  if (typeof additionalProperties === 'object' && random.has(0.3))
    fields['key'] = valueOf(additionalProperties, random, ids, level + 1);
  return fields;
}

function textOf({ format }: JsonSchema, random: Random, ids: readonly string[]): string {
  if (format === 'uuid') return random.pick(ids);
  if (format === 'date-time') return '2026-01-31T09:30:00.000Z';
  if (format === 'email') return `p${random.between(1, 50)}@acme.example`;
  if (format === 'uri') return 'https://acme.example/';
  return random.pick(['Acme', 'a', 'Example 1', random.pick(ids)]);
}

/** Returns a copy of a value with up to three changes. Each change deletes a field or sets a hostile value. */
export function mutated(value: unknown, random: Random): unknown {
  let result = structuredClone(value);
  for (let left = random.between(0, 3); left > 0; left--) result = mutatedOnce(result, random);
  return result;
}

function mutatedOnce(value: unknown, random: Random): unknown {
  if (!isFields(value) || random.has(0.1)) return hostileValue(random);
  const names = Object.keys(value);
  const name = names.length === 0 || random.has(0.15) ? random.pick(prototypeKeys) : random.pick(names);
  if (random.has(0.1)) delete value[name];
  else {
    const inner = names.includes(name) && random.has(0.6) ? mutatedOnce(value[name], random) : hostileValue(random);
    Object.defineProperty(value, name, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return value;
}

const badBytes = '00 ff c0af eda080 f8888080 efbbbf fffe 80 5c75643830 5c7530303030 22 7d'.split(' ');

/** Returns the bytes of a body. A few of them may be wrong. */
export function bytesOf(value: unknown, random: Random): Buffer {
  const text = withRaw(JSON.stringify(value) ?? '');
  let bytes = Buffer.from(random.has(0.02) ? `${text}${text}` : text, random.has(0.01) ? 'utf16le' : 'utf8');
  if (random.has(0.08)) {
    const at = random.between(0, bytes.length);
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(badBytes), 'hex'), bytes.subarray(at)]);
  }
  if (random.has(0.03)) bytes = bytes.subarray(0, random.between(0, bytes.length));
  return bytes;
}
