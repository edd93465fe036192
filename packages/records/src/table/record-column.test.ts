import { customActivity, type opportunity, type pipeline } from '@relata/schemas';
import { expect, test } from 'vitest';
import { type Columns, columnsOf } from './record-column.ts';
import { customActivities, opportunities } from '../tables.ts';
import type { recordTable } from './record-table.ts';

test('a table with a missing, additional or wrongly typed column does not compile', () => {
  const complete: Columns<typeof pipeline> = { name: 'text', active: 'boolean', is_default: 'boolean' };
  // @ts-expect-error: is_default is missing.
  const tooFew: Columns<typeof pipeline> = { name: 'text', active: 'boolean' };
  // @ts-expect-error: color is not declared.
  const tooMany: Columns<typeof pipeline> = { ...complete, name: 'text', color: 'text' };
  // @ts-expect-error: active is a boolean.
  const misfit: Columns<typeof pipeline> = { name: 'text', active: 'text', is_default: 'boolean' };
  expect([tooFew, tooMany, misfit]).not.toContainEqual(complete);
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
  const columns = columnsOf(customActivity, { content: 'text', interaction_type: 'text', direction: 'text' });
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
