import type { BaseSpec } from '@relata/schemas';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { cutTo } from './cut-output.ts';
import { SerializedJson } from './serialized-json.ts';

const cut = (body: z.ZodType, response: unknown) => cutTo({ success: { body } } as unknown as BaseSpec)(response);
const Row = z.object({ id: z.string(), error: z.strictObject({ code: z.string() }).nullable() });

test('keeps only the fields of the schema, at every depth', () => {
  const row = { id: '1', org_id: 'o', error: { code: 'c', cause: 'x' } };
  const response = { data: [row, { id: '2', error: null, secret: 's' }], total: 2 };
  expect(cut(z.object({ data: z.array(Row) }), response)).toEqual({
    data: [
      { id: '1', error: { code: 'c' } },
      { id: '2', error: null },
    ],
  });
});

test('keeps an optional field absent', () => {
  const schema = z.object({ next: Row.optional(), name: z.string().optional() });
  expect(Object.keys(cut(schema, { next: undefined }) as object)).toEqual(['next']);
});

test('keeps values of unknown type, unions, records and loose objects whole', () => {
  const schema = z.object({
    any: z.unknown(),
    either: z.union([z.string(), z.object({ const: z.unknown() })]),
    named: z.record(z.string(), z.object({ a: z.number() })),
    loose: z.looseObject({ a: z.number() }),
  });
  const response = {
    any: { x: 1 },
    either: { const: 1, more: 2 },
    named: { x: { a: 1, b: 2 } },
    loose: { a: 1, b: 2 },
  };
  expect(cut(schema, response)).toEqual(response);
});

test('sends already serialized JSON unchanged', () => {
  const response = new SerializedJson({ id: '1', more: 2 });
  expect(cut(Row, response)).toBe(response);
});
