import { newId } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EraseApi, startEraseApi } from './erase.harness.ts';
import { findTraces } from './traces.harness.ts';

let api: EraseApi;
beforeAll(async () => void (api = await startEraseApi()));
afterAll(() => api[Symbol.asyncDispose]());

const merge = async (winner: string, ...losers: string[]) => {
  const body = { winner_id: winner, loser_ids: losers };
  const headers = { 'Idempotency-Key': newId() };
  const { status } = await api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body, headers });
  expect(status).toBe(200);
};

type Fields = Record<string, string | undefined>;

/** Returns the values of a field before and after each event of a contact, as far as the events show them. */
async function valuesOf(id: string, field: string) {
  const events = (await api.history('contacts', id)) as { previous?: Fields; record: Fields }[];
  return events.map(({ previous, record }) => [previous?.[field], record[field]]);
}

const recordIn = (event: Record<string, unknown> | undefined) => event!['record'] as Fields;

test('an erase of a restored loser removes a value that it had given the winner, up to the event in which the winner changed that field', async () => {
  const city = `Bern ${newId()}`;
  const [winner, loser] = [await api.make('contacts', { title: 'CTO' }), await api.make('contacts', { city })];
  await merge(winner.id, loser.id);
  await api.patch('contacts', winner.id, { title: 'Dr' });
  await api.patch('contacts', winner.id, { city: 'Zug' });
  await api.patch('contacts', winner.id, { city });
  await api.restore(loser.id);
  await api.erase('contacts', loser.id);
  expect(await valuesOf(winner.id, 'city')).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [undefined, 'Zug'],
    ['Zug', city],
  ]);
  expect(recordIn((await api.history('contacts', winner.id)).at(-1))).toEqual(
    (await api.get('contacts', winner.id)).body.data,
  );
});

test('an erase of a loser that was restored while the winner was in the trash leaves the winner its values', async () => {
  const email = `${newId()}@robotics.example`;
  const [winner, loser] = [await api.make('contacts'), await api.make('contacts', { email })];
  await merge(winner.id, loser.id);
  await api.remove('contacts', winner.id);
  await api.restore(loser.id);
  const before = await api.history('contacts', winner.id);
  await api.erase('contacts', loser.id);
  expect(await api.history('contacts', winner.id)).toEqual(before);
  const { data } = (await api.tenant.client('GET', `/v1/trash/${winner.id}`)).body;
  expect(data.record).toEqual(recordIn(before.at(-1)));
  expect((await api.restore(winner.id)).body.data.email).toBe(email);
});

test('an erase of a restored loser leaves the winner a value that it also has from another loser', async () => {
  const email = `${newId()}@robotics.example`;
  const winner = await api.make('contacts');
  const [giver, other] = [await api.make('contacts', { email }), await api.make('contacts', { email })];
  await merge(winner.id, giver.id, other.id);
  await api.restore(other.id);
  const before = await api.history('contacts', winner.id);
  await api.erase('contacts', other.id);
  expect(await api.history('contacts', winner.id)).toEqual(before);
});

test('after merges in a chain are undone, an erase of the first loser leaves nothing with the other records (acceptance B7.5)', async () => {
  const unique = newId();
  const loser = await api.makePerson({ email: `${unique}@robotics.example`, title: unique });
  const crmId = `crm-${unique}`;
  const upsert = { match: { id: loser.id }, set: { crm_id: crmId } };
  await api.tenant.client('POST', api.pathOf('contacts', '/upsert'), { body: upsert });
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await api.make('contacts')).id);
  const chain = [loser.id, ...ids];
  for (const [i, id] of ids.entries()) await merge(id, chain[i]!);
  for (const id of chain.slice(0, -1).toReversed()) expect((await api.restore(id)).status).toBe(200);
  const records = await Promise.all(ids.map((id) => api.get('contacts', id)));
  await api.erase('contacts', loser.id);
  expect(await findTraces(api, unique, ...loser.names)).toEqual([]);
  for (const [i, { body }] of records.entries()) {
    expect((await api.get('contacts', ids[i]!)).body).toEqual(body);
    expect(recordIn((await api.history('contacts', ids[i]!)).at(-1))).toEqual(body.data);
  }
});

test('a record into which a former winner was merged keeps a value that the former winner had itself', async () => {
  const email = `${newId()}@robotics.example`;
  const [last, winner, loser] = [
    await api.make('contacts'),
    await api.make('contacts'),
    await api.make('contacts', { email }),
  ];
  await merge(winner.id, loser.id);
  await api.patch('contacts', winner.id, { email: null });
  await api.patch('contacts', winner.id, { email });
  await merge(last.id, winner.id);
  const before = await valuesOf(last.id, 'email');
  await api.restore(winner.id);
  await api.restore(loser.id);
  await api.erase('contacts', loser.id);
  expect((await valuesOf(last.id, 'email')).slice(0, before.length)).toEqual(before);
  expect(await valuesOf(winner.id, 'email')).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [undefined, email],
    [undefined, email],
    [undefined, email],
  ]);
});
