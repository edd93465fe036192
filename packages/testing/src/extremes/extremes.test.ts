import { recordsOperations } from '@relata/schemas';
import { expect, test } from 'vitest';
import type { ApiResponse, ApiClient } from '../api-client.ts';
import { extremeCases, faultIn } from './extreme-requests.ts';
import { extremeFaults } from './extremes.ts';

const target = {
  path: '/v1/records/accounts/batch',
  bodies: () => [{ operation: 'update', items: [{ id: 'x', set: { account_name: 'A' } }] }],
  references: {},
};
const caseOf = (field: string, rest: { isAllowed: boolean; stateErrors?: string[] }) => ({
  name: field,
  field,
  ...rest,
});
const answered = (status: number, code: string, field?: string) =>
  ({ status, text: code, error: { error: code, details: field ? [{ field }] : [] } }) as unknown as ApiResponse;

test('an answer to a refused value is a fault unless it is 400 and names the field', () => {
  const refused = caseOf('city', { isAllowed: false });
  expect(faultIn(refused, answered(400, 'validation_error', 'city'))).toBeUndefined();
  for (const other of [answered(400, 'validation_error', 'state'), answered(404, 'not_found'), answered(201, '')])
    expect(faultIn(refused, other)).toContain('city');
});

test.each(['not_found', 'ambiguous_match'])('%s is a fault unless the field chooses a record', (code) => {
  const response = answered(code === 'not_found' ? 404 : 409, code);
  for (const isAllowed of [true, false]) {
    expect(faultIn(caseOf('city', { isAllowed }), response)).toContain('city');
    expect(faultIn(caseOf('match.domain', { isAllowed, stateErrors: [code] }), response)).toBeUndefined();
  }
});

test('only fields that choose a record accept an error about the state', () => {
  const operations = [recordsOperations.upsertAccount, recordsOperations.batchAccounts] as const;
  const bodies = {
    upsertAccount: () => [{ match: { domain: 'a.example' }, set: { account_name: 'A' }, mode: 'upsert' }],
    batchAccounts: target.bodies,
  };
  const accepting = operations.flatMap((spec) =>
    [...extremeCases(spec, { ...target, path: spec.path, bodies: bodies[spec.id] })]
      .filter(({ stateErrors = [] }) => stateErrors.length > 0)
      .map(({ field, stateErrors }) => `${spec.id} ${field}: ${stateErrors!.join()}`),
  );
  expect([...new Set(accepting)].toSorted()).toEqual([
    'batchAccounts id: not_found',
    'upsertAccount match.account_name: not_found,ambiguous_match',
    'upsertAccount match.crm_id: not_found,ambiguous_match',
    'upsertAccount match.domain: not_found,ambiguous_match',
    'upsertAccount match.id: not_found,ambiguous_match',
    'upsertAccount mode: not_found',
  ]);
});

test('items that a slow batch did not start are sent again, unless it starts none', async () => {
  const sizes: number[] = [];
  const answering = (isStarted: (at: number) => boolean): ApiClient =>
    (async (_method: string, _path: string, { body }: { body: { items: unknown } }) => {
      const items = Array.isArray(body.items) ? (body.items as unknown[]) : [];
      sizes.push(items.length);
      const data = items.map((_item, at) => ({ status: isStarted(at) ? 200 : 503 }));
      return { status: 200, text: '', body: { data } };
    }) as unknown as ApiClient;
  const faults = await extremeFaults(
    recordsOperations.batchAccounts,
    target,
    answering((at) => at < 5),
  );
  expect(faults.filter((fault) => fault.includes(': 503'))).toEqual([]);
  expect(sizes.some((size) => size > 5)).toBe(true);
  const refused = await extremeFaults(
    recordsOperations.batchAccounts,
    target,
    answering(() => false),
  );
  expect(refused.some((fault) => fault.includes(': 503'))).toBe(true);
});
