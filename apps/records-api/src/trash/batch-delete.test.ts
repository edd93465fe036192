import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Ways to delete several records in one transaction. */
const ways: [string, { query?: string; more?: object; isNamed?: boolean }][] = [
  ['atomic', { more: { atomic: true } }],
  ['with an Idempotency-Key', { isNamed: true }],
  ['as a dry run', { query: '?dry_run=true' }],
];

interface Item {
  status: number;
  data?: { id: string };
  meta?: { unlinked: Record<string, number> };
}

describe.each(ways)('a batch of deletes in one transaction, %s', (_name, { query = '', more = {}, isNamed }) => {
  const removeAll = async (plural: 'contacts' | 'opportunities', ids: readonly string[]) => {
    const body = { operation: 'delete', items: ids.map((id) => ({ id })), ...more };
    const headers: Record<string, string> = isNamed ? { 'Idempotency-Key': newId() } : {};
    const response = await api.tenant.client('POST', api.pathOf(plural, `/batch${query}`), { body, headers });
    return { ...response, items: response.body.data as Item[] };
  };

  test('deletes all contacts of one activity and one opportunity', async () => {
    const contacts = [await api.make('contacts'), await api.make('contacts'), await api.make('contacts')];
    const ids = contacts.map(({ id }) => id);
    const staying = await api.make('contacts');
    const activity = await api.make('activities', { contact_ids: [...ids, staying.id] });
    const opportunity = await api.make('opportunities', { contact_ids: [staying.id, ...ids] });
    const { body, items } = await removeAll('contacts', ids);
    expect([body.succeeded, body.failed], JSON.stringify(body)).toEqual([3, 0]);
    expect(items.map(({ data }) => data!.id)).toEqual(ids);
    expect(items.map(({ meta }) => meta!.unlinked)).toEqual(ids.map(() => ({ activities: 1, opportunities: 1 })));
    const left = query ? [...ids, staying.id].toSorted() : [staying.id];
    const linked = [await api.get('activities', activity.id), await api.get('opportunities', opportunity.id)];
    expect(linked.map(({ body: { data } }) => data.contact_ids.toSorted())).toEqual([left, left]);
    const found = await Promise.all(ids.map((id) => api.get('contacts', id)));
    expect(found.map(({ status }) => status)).toEqual(ids.map(() => (query ? 200 : 404)));
    expect(await api.countDangling()).toBe(0);
  });

  test('deletes all opportunities of one activity', async () => {
    const ids = [(await api.make('opportunities')).id, (await api.make('opportunities')).id];
    await api.make('activities', { opportunity_ids: ids });
    const { items } = await removeAll('opportunities', ids);
    expect(items.map(({ meta }) => meta?.unlinked)).toEqual([{ activities: 1 }, { activities: 1 }]);
  });
});

test('a record that occurs twice in a batch is deleted by the first item, also if it has a link in common with other records', async () => {
  const [first, second] = [await api.make('contacts'), await api.make('contacts')];
  await api.make('activities', { contact_ids: [first.id, second.id] });
  const items = [first, second, second, first].map(({ id }) => ({ id }));
  const { body } = await api.tenant.client('POST', api.pathOf('contacts', '/batch'), {
    body: { operation: 'delete', items },
    headers: { 'Idempotency-Key': newId() },
  });
  expect(body.data.map(({ status }: Item) => status)).toEqual([200, 200, 404, 404]);
});
