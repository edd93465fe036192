import { newId } from '@relata/db';
import { contacts, findRecord } from '@relata/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, newOrganization } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

let served: TestConsole;
let orgId: string;
let admin: Browser;
let examples: Examples;
beforeAll(async () => {
  served = await startTestConsole();
  ({ orgId, admin } = await newOrganization(served.url, served.db));
  examples = new Examples(served.db, orgId);
});
afterAll(() => served[Symbol.asyncDispose]());

const list = async (query = '') => (await admin.get(`/orgs/${orgId}/trash${query}`)).body;
const restorePath = (id: string) => `/orgs/${orgId}/trash/${id}/restore`;

test('lists deleted records with their names, who deleted them, and how many other records went with them', async () => {
  const { id, deals } = await examples.account('Robotics', ['Arms', 'Legs']);
  await examples.delete('account', id);
  const { data } = await list();
  const account = data.find((entry: { id: string }) => entry.id === id);
  expect(account).toMatchObject({
    resource: 'account',
    name: 'Robotics',
    deleted_by: { type: 'operator' },
    deleted_with: 2,
    merged_into: null,
    record: { account_name: 'Robotics' },
  });
  expect(Date.parse(account.purge_at) - Date.parse(account.deleted_at)).toBe(30 * 86_400_000);
  const together = await list(`?deletion_id=${account.deletion_id}&resource=opportunity`);
  expect(together.data.map((entry: { id: string }) => entry.id).toSorted()).toEqual(deals.toSorted());
  expect((await list(`?record_id=${deals[0]}`)).data).toMatchObject([{ id: deals[0], deleted_with: 2 }]);
  expect((await list(`?record_id=${newId()}`)).data).toEqual([]);
});

test('pages follow each other by their cursors', async () => {
  const ids = [await examples.trashed(), await examples.trashed(), await examples.trashed()].toReversed();
  const first = await list('?resource=contact&limit=2');
  expect(first).toMatchObject({ data: [{ id: ids[0] }, { id: ids[1] }], has_more: true });
  const second = await list(`?resource=contact&limit=2&cursor=${first.next_cursor}`);
  expect(second.data[0]).toMatchObject({ id: ids[2] });
  const wrong = await admin.get(`/orgs/${orgId}/trash?limit=2&cursor=${first.next_cursor}`);
  expect(wrong).toMatchObject({ status: 400, body: { details: [{ field: 'cursor', code: 'invalid_cursor' }] } });
});

test('a preview says what a restore brings back, and changes nothing', async () => {
  const { id } = await examples.account('Drones', ['Wings']);
  await examples.delete('account', id);
  const preview = await admin.get(restorePath(id));
  const counts = { restored: { opportunities: 1 }, relinked: { contacts: 1, activities: 0 }, dropped: [] };
  const expected = { data: { id, name: 'Drones', ...counts } };
  expect(preview.body).toEqual(expected);
  expect((await list(`?record_id=${id}`)).data).toHaveLength(1);
  expect((await admin.post(restorePath(id))).body).toEqual(expected);
  expect((await list(`?record_id=${id}`)).data).toEqual([]);
  expect((await admin.post(restorePath(id))).status).toBe(404);
});

test('an opportunity whose account is in the trash names the account', async () => {
  const { id, deals } = await examples.account('Lasers', ['Beam']);
  await examples.delete('opportunity', deals[0]!);
  await examples.delete('account', id);
  const { status, body } = await admin.get(restorePath(deals[0]!));
  expect(status).toBe(409);
  expect(body).toMatchObject({ error: 'conflict', trashed_id: id });
});

test('a merged record names the record it was merged into, and a restore undoes the merge', async () => {
  const winner = await examples.contact({ first_name: 'Ada', last_name: 'Lovelace' });
  const loser = await examples.contact({ first_name: 'A.', last_name: 'Lovelace', email: 'ada@robotics.example' });
  await examples.merge(winner, loser);
  const entry = async () => (await list(`?record_id=${loser}`)).data[0];
  expect(await entry()).toMatchObject({ merged_into: { id: winner, name: 'Ada Lovelace' } });
  await admin.post(restorePath(loser));
  expect(await findRecord(served.db.database, orgId, contacts, winner)).not.toHaveProperty('email');
});
