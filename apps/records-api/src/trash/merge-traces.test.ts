import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => void (api = await startTrashApi()));
afterAll(() => api[Symbol.asyncDispose]());

const merge = (winner: string, loser: string) =>
  api.tenant.client('POST', api.pathOf('contacts', '/merge'), {
    body: { winner_id: winner, loser_ids: [loser], set: { title: 'CTO' } },
  });

const upsert = (match: object) =>
  api.tenant.client('POST', api.pathOf('contacts', '/upsert'), { body: { match, set: { city: 'Bern' } } });

test('B2.3, B2.7: an upsert that matched two records changes the winner after they are merged, and never the loser', async () => {
  const email = 'ada@traces.example';
  const [winner, loser] = [await api.make('contacts', { email }), await api.make('contacts', { email })];
  expect(await upsert({ email })).toMatchObject({ status: 409, error: { candidate_ids: [winner.id, loser.id] } });
  await merge(winner.id, loser.id);
  const changed = { status: 200, body: { data: { id: winner.id, city: 'Bern' }, meta: { action: 'updated' } } };
  expect(await upsert({ email })).toMatchObject(changed);
  expect(await upsert({ id: loser.id })).toMatchObject({ status: 404, error: { merged_into: winner.id } });
});

test('B3.1, B5.3: a merge writes one event for each record that it changes, with its request id, and changes each ETag', async () => {
  const [winner, loser] = [await api.make('contacts'), await api.make('contacts')];
  const linked = { contact_ids: [loser.id] };
  const [deal, activity] = [await api.make('opportunities', linked), await api.make('activities', linked)];
  const untouched = await api.make('opportunities', { contact_ids: [winner.id] });
  const records = [
    ['contacts', winner],
    ['opportunities', deal],
    ['activities', activity],
    ['opportunities', untouched],
  ] as const;
  const etags = () => Promise.all(records.map(async ([of, { id }]) => (await api.get(of, id)).headers.get('etag')));
  const before = await etags();
  const start = (await api.tenant.client('GET', '/v1/events?after=latest')).body.next_cursor as string;
  const merged = await merge(winner.id, loser.id);
  const after = await etags();
  expect(after.map((etag, at) => etag === before[at])).toEqual([false, false, false, true]);
  const { data } = (await api.tenant.client('GET', `/v1/events?after=${start}&wait=20`)).body;
  const events = data as { type: string; record_id: string; request_id: string; actor: object }[];
  expect(events.map(({ type, record_id: id }) => `${type} ${id}`).toSorted()).toEqual(
    [
      `activity.updated ${activity.id}`,
      `contact.deleted ${loser.id}`,
      `contact.merged ${winner.id}`,
      `opportunity.updated ${deal.id}`,
    ].toSorted(),
  );
  expect(new Set(events.map(({ request_id: id }) => id))).toEqual(new Set([merged.headers.get('x-request-id')]));
  const ofDeal = events.find(({ record_id: id }) => id === deal.id);
  expect(ofDeal).toMatchObject({ previous: { contact_ids: [loser.id] }, record: { contact_ids: [winner.id] } });
});
