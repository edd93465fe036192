import { newId } from '@relata/db';
import { operatorActor } from '@relata/events';
import { accounts, mergeInSteps } from '@relata/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
let winner: string;
let loser: string;
beforeAll(async () => {
  api = await startTrashApi();
  [winner, loser] = [(await api.make('accounts')).id, (await api.make('accounts')).id];
  const body = { winner_id: winner, loser_ids: [loser] };
  await api.tenant.client('POST', api.pathOf('accounts', '/merge'), { body });
});
afterAll(() => api[Symbol.asyncDispose]());

const deal = (fields: object = {}) => ({ opportunity_name: 'Deal', account_id: loser, ...fields });
const post = (path: string, body: object) => api.tenant.client('POST', path, { body });

const bodies: [string, () => Promise<{ error: unknown }>, string][] = [
  [
    'that is invalid in other ways, too',
    () => post(api.pathOf('opportunities'), deal({ unknown: 1, opportunity_name: null })),
    'account_id',
  ],
  [
    'whose stage has another pipeline',
    () => post(api.pathOf('opportunities'), deal({ stage_id: api.tenant.ids.stage, pipeline: 'Other' })),
    'account_id',
  ],
  [
    'of an upsert',
    () => post(api.pathOf('opportunities', '/upsert'), { match: { crm_id: newId() }, create: deal({ unknown: 1 }) }),
    'create.account_id',
  ],
  [
    'of a merge',
    async () => {
      const [to, from] = [await api.make('contacts'), await api.make('contacts')];
      const given = { winner_id: to.id, loser_ids: [from.id], set: { account_id: loser } };
      return post(api.pathOf('contacts', '/merge'), given);
    },
    'set.account_id',
  ],
];

test.each(bodies)(
  'the detail of a reference to a merged record names the winner in a body %s',
  async (_body, send, field) => {
    expect(await send()).toMatchObject({
      status: 400,
      error: {
        details: expect.arrayContaining([
          expect.objectContaining({ in: 'body', field, code: 'invalid_reference', merged_into: winner }),
        ]),
      },
    });
  },
);

test('the detail of a batch item names the winner if the item is invalid in other ways, too', async () => {
  const items = [deal({ unknown: 1 }), deal()];
  const { data } = (await post(api.pathOf('opportunities', '/batch'), { operation: 'create', items })).body;
  for (const item of data as { error: { details: object[] } }[])
    expect(item.error.details).toContainEqual(expect.objectContaining({ field: 'account_id', merged_into: winner }));
});

test('the history of a merged record names the winner once its events are gone', async () => {
  await api.sql('DELETE FROM events WHERE record_id = $1', [loser]);
  const response = await api.tenant.client('GET', api.pathOf('accounts', `/${loser}/history`));
  expect(response).toMatchObject({ status: 404, error: { merged_into: winner } });
});

test('B1.7: a repeated merge with its Idempotency-Key returns the first answer', async () => {
  const [to, from] = [await api.make('accounts'), await api.make('accounts')];
  const headers = { 'Idempotency-Key': newId() };
  const merge = () =>
    api.tenant.client('POST', api.pathOf('accounts', '/merge'), {
      body: { winner_id: to.id, loser_ids: [from.id] },
      headers,
    });
  const first = await merge();
  expect(first.status).toBe(200);
  const again = await merge();
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
});

test('a record whose account was merged and then deleted cannot be restored, and the error names the winner', async () => {
  for (const isInSteps of [false, true]) {
    const [to, from] = [await api.make('accounts'), await api.make('accounts')];
    const { id } = await api.make('opportunities', { account_id: from.id });
    await api.remove('opportunities', id);
    const given = { winnerId: to.id, loserIds: [from.id], set: {}, versions: new Map() };
    const actor = operatorActor(api.tenant.orgId, 'test');
    await (isInSteps
      ? mergeInSteps(api.db, actor, accounts, given)
      : post(api.pathOf('accounts', '/merge'), { winner_id: to.id, loser_ids: [from.id] }));
    await api.remove('accounts', to.id);
    const refused = await api.restore(id);
    expect(refused).toMatchObject({ status: 409, error: { error: 'conflict', trashed_id: to.id } });
    expect(refused.error.message).toBe(
      `Its account_id ${from.id} was merged into ${to.id}, which is in the trash. Restore that record first.`,
    );
    await api.restore(to.id);
    expect((await api.restore(id)).body.data.account_id).toBe(to.id);
  }
});
