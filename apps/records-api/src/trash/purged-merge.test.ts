import { purgeTrash } from '@relata/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const dayMs = 86_400_000;

const purge = async (id: string) => {
  await api.sql(`UPDATE trash SET deleted_at = now() - interval '40 days' WHERE id = $1`, [id]);
  expect(await purgeTrash(api.db.database, 30 * dayMs)).toBe(1);
};
const erase = async (id: string) =>
  expect((await api.tenant.client('DELETE', api.pathOf('contacts', `/${id}?erase=true`))).status).toBe(200);

test.each([
  ['purge', purge],
  ['erase', erase],
])('after the %s of one loser, the winner keeps its links when another loser is restored', async (_, remove) => {
  const [winner, gone, restored] = [await api.make('contacts'), await api.make('contacts'), await api.make('contacts')];
  const links = { contact_ids: [gone.id, restored.id] };
  const [deal, activity] = [await api.make('opportunities', links), await api.make('activities', links)];
  const only = await api.make('opportunities', { contact_ids: [restored.id] });
  for (const { id } of [gone, restored]) {
    const body = { winner_id: winner.id, loser_ids: [id] };
    expect((await api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body })).status).toBe(200);
  }
  await remove(gone.id);
  expect((await api.restore(restored.id)).status).toBe(200);
  const contactsOf = async (plural: 'opportunities' | 'activities', id: string) =>
    (await api.get(plural, id)).body.data.contact_ids;
  expect(await contactsOf('opportunities', deal.id)).toEqual([winner.id, restored.id]);
  expect(await contactsOf('activities', activity.id)).toEqual([winner.id, restored.id]);
  expect(await contactsOf('opportunities', only.id)).toEqual([restored.id]);
});
