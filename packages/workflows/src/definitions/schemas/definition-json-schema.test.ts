import { expect, test } from 'vitest';
import { inboundLead, exampleWorkflow } from '../definition.harness.ts';
import { definitionJsonSchema } from './definition-json-schema.ts';
import { isRecord } from '@relata/schemas';

type Schema = Record<string, unknown>;

const schema = definitionJsonSchema();

/** Implements the part of JSON Schema that the schema uses and these tests need. */
function accepts(rule: Schema, value: unknown): boolean {
  const { $ref, anyOf, oneOf } = rule as { $ref?: string; anyOf?: Schema[]; oneOf?: Schema[] };
  if ($ref !== undefined && !accepts((schema['$defs'] as Record<string, Schema>)[$ref.split('/')[2]!]!, value))
    return false;
  if (anyOf !== undefined && !anyOf.some((choice) => accepts(choice, value))) return false;
  if (oneOf !== undefined && oneOf.filter((choice) => accepts(choice, value)).length !== 1) return false;
  if ('const' in rule && rule['const'] !== value) return false;
  if (Array.isArray(rule['enum']) && !rule['enum'].includes(value)) return false;
  if (typeof rule['pattern'] === 'string' && !new RegExp(rule['pattern'], 'u').test(String(value))) return false;
  return hasType(rule['type'], value) && acceptsMembers(rule, value);
}

function hasType(type: unknown, value: unknown): boolean {
  if (type === undefined) return true;
  if (type === 'object') return isRecord(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  return typeof value === (type === 'integer' ? 'number' : type);
}

function acceptsMembers(rule: Schema, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => accepts((rule['items'] ?? {}) as Schema, item));
  if (!isRecord(value)) return true;
  if (Object.keys(value).length < Number(rule['minProperties'] ?? 0)) return false;
  if (((rule['required'] ?? []) as string[]).some((key) => !(key in value))) return false;
  const properties = (rule['properties'] ?? {}) as Record<string, Schema>;
  return Object.entries(value).every(([key, member]) => {
    const inner = properties[key] ?? rule['additionalProperties'];
    return inner !== false && accepts((inner ?? {}) as Schema, member);
  });
}

test('the JSON Schema accepts the example', () => {
  expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(accepts(schema, inboundLead)).toBe(true);
});

const create = (set: unknown) => exampleWorkflow([{ use: 'contact.create', with: { set } }]);

test.for<[string, unknown]>([
  ['an expression for a whole object', create('${{ payload }}')],
  ['an expression for a field', create({ first_name: '${{ payload.a }}', last_name: 'x', tags: ['${{ payload.b }}'] })],
  [
    'a loop',
    exampleWorkflow([
      { use: 'for_each', with: { items: [1] }, steps: [{ id: 'a', use: 'delay', with: { for: '1s' } }] },
    ]),
  ],
  ['the longest delay in milliseconds', exampleWorkflow([{ use: 'delay', with: { for: '31536000000ms' } }])],
])('the JSON Schema accepts %s', ([, json]) => {
  expect(accepts(schema, json)).toBe(true);
});

test.for<[string, unknown]>([
  ['an unknown key', { ...inboundLead, more: 1 }],
  ['an unknown field', create({ first_name: 'a', last_name: 'b', emial: 'c' })],
  ['a missing field', create({ first_name: 'a' })],
  ['an unknown kind of step', exampleWorkflow([{ use: 'contact.creat', with: {} }])],
  ['an empty match', exampleWorkflow([{ use: 'contact.find', with: { match: {} } }])],
  ['steps in a step', exampleWorkflow([{ use: 'channel.post', with: { text: 'x' }, steps: [] }])],
])('the JSON Schema refuses %s', ([, json]) => {
  expect(accepts(schema, json)).toBe(false);
});
