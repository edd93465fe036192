import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EraseApi, startEraseApi } from './erase.harness.ts';
import type { Plural } from './trash.harness.ts';

let api: EraseApi;
beforeAll(async () => void (api = await startEraseApi()));
afterAll(() => api[Symbol.asyncDispose]());

type Kind = 'accounts' | 'contacts';

const merge = async (plural: Kind, winner: string, losers: string[]) => {
  const body = { winner_id: winner, loser_ids: losers };
  expect((await api.tenant.client('POST', api.pathOf(plural, '/merge'), { body })).status).toBe(200);
};
const ids = (plural: Kind, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await api.make(plural)).id));
const fieldOf = async (plural: Plural, id: string, field: string) =>
  (await api.get(plural, id)).body.data[field] as unknown;

/**
 * Merges an account into another account, and returns their ids and that of a record that belonged to the merged
 * account.
 */
async function mergeAccounts(plural: 'contacts' | 'opportunities') {
  const [winner, loser] = (await ids('accounts', 2)) as [string, string];
  const { id } = await api.make(plural, { account_id: loser });
  await merge('accounts', winner, [loser]);
  return { winner, loser, id };
}

/** Fields that refer to merged records. */
const singles = ['opportunities', 'contacts'] as const;
const lists = ['opportunities', 'activities'] as const;

describe('a record that is in the trash during an undo is restored with the loser', () => {
  test.each(singles)('as the account of %s, with its version and its entry unchanged', async (plural) => {
    const { winner, loser, id } = await mergeAccounts(plural);
    const etag = (await api.get(plural, id)).headers.get('etag')!;
    await api.remove(plural, id);
    const entry = (await api.tenant.client('GET', `/v1/trash/${id}`)).body.data;
    expect((await api.restore(loser)).body.meta).toMatchObject({ relinked: { [plural]: 0 }, dropped: [] });
    expect((await api.tenant.client('GET', `/v1/trash/${id}`)).body.data).toEqual(entry);
    expect(entry.record.account_id).toBe(winner);
    const headers = { 'If-Match': etag };
    const { status, body } = await api.tenant.client('POST', `/v1/trash/${id}/restore`, { headers });
    expect([status, body.data.account_id, body.meta.dropped]).toEqual([200, loser, []]);
    expect((await api.history(plural, id)).at(-1)).toMatchObject({
      type: expect.stringMatching(/\.restored$/),
      record: { account_id: loser },
    });
    expect(await fieldOf(plural, id, 'account_id')).toBe(loser);
  });

  test.each(lists)('in contact_ids of %s, at its former position', async (plural) => {
    const [winner, a, b, x] = (await ids('contacts', 4)) as [string, string, string, string];
    const before = [[x, a], [a, x, b], [b, winner, a], [winner, b, x], [x]];
    for (const order of [
      [a, b],
      [b, a],
    ]) {
      const made = await Promise.all(before.map((contact_ids) => api.make(plural, { contact_ids })));
      await merge('contacts', winner, [a, b]);
      for (const { id } of made) await api.remove(plural, id);
      for (const id of order) await api.restore(id);
      for (const { id } of made) await api.restore(id);
      const after = await Promise.all(made.map(({ id }) => fieldOf(plural, id, 'contact_ids')));
      expect(after, order.join()).toEqual(before);
    }
  });

  test.each(lists)('in contact_ids of %s, beside the winner of another loser until it is restored', async (plural) => {
    const [winner, a, b] = (await ids('contacts', 3)) as [string, string, string];
    const { id } = await api.make(plural, { contact_ids: [a, b] });
    await merge('contacts', winner, [a, b]);
    await api.remove(plural, id);
    await api.restore(a);
    await api.restore(id);
    expect(await fieldOf(plural, id, 'contact_ids')).toEqual([a, winner]);
    await api.restore(b);
    expect(await fieldOf(plural, id, 'contact_ids')).toEqual([a, b]);
  });

  test('if merges that follow each other are undone in reverse order', async () => {
    const { winner, loser, id } = await mergeAccounts('opportunities');
    const [last] = (await ids('accounts', 1)) as [string];
    await merge('accounts', last, [winner]);
    await api.remove('opportunities', id);
    for (const each of [winner, loser]) await api.restore(each);
    expect((await api.restore(id)).body.data.account_id).toBe(loser);
  });

  test('if it is itself a loser, whose undo clears the account that it filled', async () => {
    const [winner, loser] = (await ids('accounts', 2)) as [string, string];
    const [empty, full] = [await api.make('contacts'), await api.make('contacts', { account_id: loser })];
    await merge('accounts', winner, [loser]);
    await merge('contacts', empty.id, [full.id]);
    for (const id of [loser, full.id]) await api.restore(id);
    expect(await fieldOf('contacts', full.id, 'account_id')).toBe(loser);
    expect(await fieldOf('contacts', empty.id, 'account_id')).toBeUndefined();
  });

  test('whether the undo or its own restore is first, if both run at once', async () => {
    for (let round = 0; round < 10; round++) {
      const { loser, id } = await mergeAccounts('opportunities');
      if (round % 2 === 0) await api.remove('opportunities', id);
      const other = round % 2 === 0 ? api.restore(id) : api.remove('opportunities', id);
      const responses = await Promise.all([other, api.restore(loser)]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      if (round % 2 === 1) await api.restore(id);
      expect(await fieldOf('opportunities', id, 'account_id'), `round ${round}`).toBe(loser);
    }
  });
});

describe('of a list that is in the trash during an undo', () => {
  test('a link to a loser is reported if the list has no room for it any more', async () => {
    const [winner, loser] = (await ids('contacts', 2)) as [string, string];
    const others = await ids('contacts', 99);
    const full = await api.make('opportunities', { contact_ids: [loser, winner, ...others.slice(1)] });
    const roomy = await api.make('opportunities', { contact_ids: [loser, ...others] });
    await merge('contacts', winner, [loser]);
    await api.patch('opportunities', full.id, { contact_ids: [winner, ...others] });
    for (const { id } of [full, roomy]) await api.remove('opportunities', id);
    expect((await api.restore(loser)).body.meta.dropped).toEqual([{ id: full.id, field: 'contact_ids', value: loser }]);
    for (const { id } of [full, roomy]) await api.restore(id);
    expect(await fieldOf('opportunities', full.id, 'contact_ids')).toEqual([winner, ...others]);
    expect(await fieldOf('opportunities', roomy.id, 'contact_ids')).toEqual([loser, ...others]);
  });

  test('no link is reported that was removed since the merge, or whose winner is in the trash, too', async () => {
    const [winner, loser] = (await ids('contacts', 2)) as [string, string];
    const [removed, left] = [
      await api.make('opportunities', { contact_ids: [loser, winner] }),
      await api.make('opportunities', { contact_ids: [loser] }),
    ];
    await merge('contacts', winner, [loser]);
    await api.patch('opportunities', removed.id, { contact_ids: [] });
    for (const { id } of [removed, left]) await api.remove('opportunities', id);
    await api.remove('contacts', winner);
    expect((await api.restore(loser)).body.meta.dropped).toEqual([]);
  });
});

test('a record that was moved after the merge and is in the trash during the undo is restored where it was', async () => {
  const { loser, id } = await mergeAccounts('opportunities');
  const [other] = (await ids('accounts', 1)) as [string];
  await api.patch('opportunities', id, { account_id: other });
  await api.remove('opportunities', id);
  await api.restore(loser);
  expect((await api.restore(id)).body.data.account_id).toBe(other);
});

test('a record whose account was deleted or merged again after the undo is restored like any record of that account', async () => {
  const { winner, loser, id } = await mergeAccounts('opportunities');
  await api.remove('opportunities', id);
  await api.restore(loser);
  await api.remove('accounts', loser);
  expect(await api.restore(id)).toMatchObject({ status: 409, error: { trashed_id: loser } });
  await api.restore(loser);
  await merge('accounts', winner, [loser]);
  expect((await api.restore(id)).body.data.account_id).toBe(winner);
});

test('an erase with activities finds activities in the trash by the loser, not by the winner', async () => {
  const [winner, loser] = (await ids('contacts', 2)) as [string, string];
  const { id } = await api.make('activities', { contact_ids: [loser] });
  await merge('contacts', winner, [loser]);
  await api.remove('activities', id);
  await api.restore(loser);
  expect((await api.erase('contacts', winner, '&activities=true')).body.meta.activities).toBe(0);
  expect((await api.erase('contacts', loser, '&activities=true')).body.meta.activities).toBe(1);
  expect((await api.restore(id)).status).toBe(404);
});
