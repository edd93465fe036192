import { bigint, customActivity, integer, numeric, type opportunity } from '@relata/schemas';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { recordTables } from '../record-tables.ts';
import { createColumns } from './record-column.ts';
import { customActivities, opportunities } from '../tables.ts';
import type { recordTable } from './record-table.ts';

test('the schema of a field decides the type of its column', () => {
  const types = recordTables.flatMap(({ columns }) => columns.map(({ name, type }) => [name, type]));
  expect(Object.fromEntries(types)).toMatchObject({
    account_name: 'text',
    relationship_type: 'text',
    email: 'text',
    account_id: 'uuid',
    close_date: 'timestamptz',
    amount: 'numeric(19,4)',
    display_order: 'integer',
    is_won: 'boolean',
    tags: 'text[]',
    contact_ids: 'uuid[]',
  });
});

const withField = (schema: z.ZodType) => ({
  ...customActivity,
  fields: { weather: { kind: 'required', schema } as const },
});

test('a field that no column stores is refused', () => {
  const field = withField(z.record(z.string(), z.string()));
  expect(() => createColumns(field)).toThrowError('No column type stores');
});

test.each([z.int(), z.number(), z.number().int(), z.number().min(0).max(1)])(
  'a number without the bounds of a column is refused (found C1)',
  (schema) => expect(() => createColumns(withField(schema))).toThrowError('use integer(), bigint() or numeric(p, s)'),
);

test.each([
  [integer(), 'integer'],
  [bigint().meta({ description: 'Described.' }), 'bigint'],
  [integer().min(0), 'integer'],
  [numeric(8, 2), 'numeric(8,2)'],
])('the bounds of a number decide the type of its column (found C1)', (schema, type) => {
  expect(createColumns(withField(schema))[0]!.type).toBe(type);
});

test('a table with a missing or unknown filter does not compile', () => {
  type Filters = Parameters<typeof recordTable<typeof opportunity>>[1]['filters'];
  const complete: Filters = { account_id: 'true' };
  // @ts-expect-error: account_id is missing.
  const tooFew: Filters = {};
  // @ts-expect-error: stage_id is not declared.
  const tooMany: Filters = { account_id: 'true', stage_id: 'true' };
  expect([tooFew, tooMany]).not.toContainEqual(complete);
});

test('the kind of a field decides who writes its column, and how it is shown without a value', () => {
  const columns = createColumns(customActivity);
  expect(columns.slice(0, 3)).toEqual([
    { name: 'content', type: 'text', writableBy: 'everyone' },
    { name: 'interaction_type', type: 'text' },
    { name: 'direction', type: 'text', isNullable: true, writableBy: 'everyone' },
  ]);
});

test('workflows can write crm_id, but only if the records have one', () => {
  const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);
  expect(names(opportunities.writableByWorkflows)).toEqual([...names(opportunities.writable), 'crm_id']);
  expect(names(customActivities.writableByWorkflows)).toEqual(names(customActivities.writable));
});
