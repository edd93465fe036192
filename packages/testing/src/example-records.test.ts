import type { OperationSpec } from '@relata/schemas';
import { expect, test } from 'vitest';
import { exampleBody, type ExampleIds, examplePath, exampleReferences } from './example-records.ts';

const ids = { account: 'a', contact: 'c', stage: 's', user: 'u', opportunity: 'o' } as ExampleIds;
const spec = (id: string, more: Partial<OperationSpec> = {}) =>
  ({ id, path: '/v1/records/x/{id}', ...more }) as OperationSpec;

test('the path of an operation that belongs to no resource is an error, not a guess', () => {
  const params = {} as NonNullable<OperationSpec['params']>;
  expect(() => examplePath(spec('getUnheardOf', { params }), ids)).toThrow(
    'getUnheardOf at /v1/records/x/{id} belongs',
  );
  expect(() => exampleBody(spec('createUnheardOf'), ids)).toThrow('belongs to no resource');
  expect(() => exampleReferences(spec('createUnheardOf'), ids)).toThrow('belongs to no resource');
});

test('only ids that an example contains are replaced', () => {
  const example = { opportunity_name: 'x', account_id: 'any', stage_id: null };
  expect(exampleBody(spec('createOpportunity', { example }), ids)).toEqual({ ...example, account_id: 'a' });
});

test('every field that refers to a record gets an id, and a list of references gets a list with one id', () => {
  expect(exampleReferences(spec('createCustomActivity'), ids)).toEqual({
    owner_id: 'u',
    contact_ids: ['c'],
    opportunity_ids: ['o'],
  });
  expect(exampleReferences(spec('createAccount'), ids)).toEqual({ owner_id: 'u' });
});
