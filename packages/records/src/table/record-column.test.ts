import { customActivity, type opportunity } from '@relata/schemas';
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

test.each([z.record(z.string(), z.string()), z.number().int()])(
  'a field that no column stores is refused',
  (schema) => {
    const fields = { weather: { kind: 'required', schema } } as const;
    expect(() => createColumns({ ...customActivity, fields })).toThrowError('No column type stores');
  },
);

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

test('only workflows write crm_id, and only if the records have one', () => {
  const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);
  expect(names(opportunities.writableByWorkflows)).toEqual([...names(opportunities.writable), 'crm_id']);
  expect(names(customActivities.writableByWorkflows)).toEqual(names(customActivities.writable));
});
