import { createHash } from 'node:crypto';
import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTraces } from './traces.harness.ts';
import { type TrashResponse, startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const rounds = 24;
/** Number of concurrent rounds. Requests of different rounds share transactions. */
const atOnce = 8;

const keyed = (i: number): Record<string, string> => (i % 3 === 0 ? { 'Idempotency-Key': newId() } : {});

/** Repeatedly erases a person while another request writes. Whichever comes first, the erase must leave no trace. */
async function race(
  prepare: (id: string) => Promise<unknown>,
  write: (id: string, unique: string) => Promise<TrashResponse>,
): Promise<string[]> {
  const outcomes = new Set<string>();
  for (let at = 0; at < rounds; at += atOnce) {
    const results = await Promise.all(
      Array.from({ length: atOnce }, async (_, n) => {
        const i = at + n;
        const unique = `q${newId().replaceAll('-', '')}`;
        const fields = { first_name: unique, email: `${unique}@robotics.example` };
        const { id } = await api.make('contacts', fields);
        await prepare(id);
        const erase = () =>
          api.tenant.client('DELETE', api.pathOf('contacts', `/${id}?erase=true&activities=true`), {
            headers: keyed(i),
          });
        const first = i % 2 === 0 ? undefined : write(id, unique);
        const [erased, written] = await Promise.all([erase(), first ?? write(id, unique)]);
        return { unique, outcome: `${erased.status} ${written.status}` };
      }),
    );
    for (const { outcome } of results) outcomes.add(outcome);
    expect(await findTraces(api, ...results.map(({ unique }) => unique))).toEqual([]);
  }
  expect(await api.countDangling()).toBe(0);
  return [...outcomes];
}

const nothing = () => Promise.resolve();

describe('an erase concurrent with another write: no 5xx, and no erased text reappears', () => {
  const client: TrashApi['tenant']['client'] = (...given) => api.tenant.client(...given);

  test('a change', async () => {
    const outcomes = await race(nothing, (id, unique) =>
      client('PATCH', api.pathOf('contacts', `/${id}`), { body: { title: unique } }),
    );
    expect(['200 200', '200 404']).toEqual(expect.arrayContaining(outcomes));
  });

  test('a delete', async () => {
    const outcomes = await race(nothing, (id) => api.remove('contacts', id));
    expect(['200 200', '200 404']).toEqual(expect.arrayContaining(outcomes));
  });

  test('a restore', async () => {
    const outcomes = await race(
      (id) => api.remove('contacts', id),
      (id) => api.restore(id),
    );
    expect(['200 200', '200 404']).toEqual(expect.arrayContaining(outcomes));
  });

  test('a merge into the record, and of the record into another', async () => {
    const merge = async (winner: string, loser: string) =>
      client('POST', api.pathOf('contacts', '/merge'), { body: { winner_id: winner, loser_ids: [loser] } });
    const into = await race(nothing, async (id) => merge(id, (await api.make('contacts')).id));
    const from = await race(nothing, async (id) =>
      merge((await api.make('contacts', { email: `${newId()}@robotics.example` })).id, id),
    );
    expect(['200 200', '200 400']).toEqual(expect.arrayContaining([...into, ...from]));
  });

  test('a new activity, opportunity and link', async () => {
    const { id: deal } = await api.make('opportunities');
    const outcomes = await race(nothing, (id) =>
      client('POST', api.pathOf('activities'), {
        body: { content: 'Called', contact_ids: [id], opportunity_ids: [deal] },
      }),
    );
    const linked = await race(nothing, (id) =>
      client('PATCH', api.pathOf('opportunities', `/${deal}`), { body: { contact_ids: [id] } }),
    );
    expect(['200 201', '200 400', '200 200']).toEqual(expect.arrayContaining([...outcomes, ...linked]));
  });

  test('another erase: only one of the two erases the record', async () => {
    const outcomes = await race(nothing, (id) => client('DELETE', api.pathOf('contacts', `/${id}?erase=true`)));
    expect(['200 404', '404 200']).toEqual(expect.arrayContaining(outcomes));
  });
});

describe('an erase that waits for another write', () => {
  const erase = (plural: 'accounts' | 'contacts', id: string, query = '') =>
    api.remove(plural, id, `?erase=true${query}`);

  test('a cascade leaves an opportunity that gets another account before it is locked', async () => {
    const [account, other] = [await api.make('accounts'), await api.make('accounts')];
    const fields = { account_id: account.id };
    const [moving, staying] = [await api.make('opportunities', fields), await api.make('opportunities', fields)];
    const move = 'UPDATE opportunities SET account_id = $1 WHERE id = $2';
    const request = () => erase('accounts', account.id, '&cascade=true');
    const { status, body } = await api.whileWritten(move, [other.id, moving.id], { request });
    expect([status, body.meta?.erased]).toEqual([200, { opportunities: 1 }]);
    expect((await api.get('opportunities', moving.id)).body.data?.account_id).toBe(other.id);
    expect((await api.history('opportunities', moving.id)).every((event) => !('erased' in event))).toBe(true);
    expect((await api.get('opportunities', staying.id)).status).toBe(404);
  });

  test('activities=true leaves an activity that loses the link before it is locked', async () => {
    const { id } = await api.make('contacts');
    const links = { contact_ids: [id] };
    const [leaving, staying] = [await api.make('activities', links), await api.make('activities', links)];
    const unlink = `WITH l AS (DELETE FROM custom_activity_contacts WHERE activity_id = $1)
      UPDATE custom_activities SET updated_at = now() WHERE id = $1`;
    const request = () => erase('contacts', id, '&activities=true');
    const { status, body } = await api.whileWritten(unlink, [leaving.id], { request });
    expect([status, body.meta?.activities]).toEqual([200, 1]);
    expect((await api.get('activities', leaving.id)).body.data?.content).toBe('Called');
    expect((await api.get('activities', staying.id)).status).toBe(404);
  });

  test('an erase of a winner locks the entries of losers first, as a restore does', async () => {
    const [winner, loser] = [await api.make('contacts'), await api.make('contacts')];
    const merge = { winner_id: winner.id, loser_ids: [loser.id] };
    await api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body: merge });
    const free = 'SELECT FROM contacts WHERE id = $1 FOR UPDATE SKIP LOCKED';
    const { status } = await api.whileWritten('SELECT FROM trash WHERE id = $1 FOR UPDATE', [loser.id], {
      request: () => erase('contacts', winner.id),
      meanwhile: async () => expect(await api.sql(free, [winner.id])).toHaveLength(1),
    });
    expect(status).toBe(200);
  });

  test('a cascade locks an opportunity before it clears the links to it, so that no new link appears', async () => {
    const account = await api.make('accounts');
    const deal = await api.make('opportunities', { account_id: account.id });
    const activity = await api.make('activities', { opportunity_ids: [deal.id] });
    let created: Promise<TrashResponse> | undefined;
    let isCreated = false;
    const lock = 'SELECT FROM custom_activities WHERE id = $1 FOR UPDATE';
    const erased = await api.whileWritten(lock, [activity.id], {
      request: () => erase('accounts', account.id, '&cascade=true'),
      meanwhile: async () => {
        const body = { content: 'Called', opportunity_ids: [deal.id] };
        created = api.tenant.client('POST', api.pathOf('activities'), { body });
        void created.then(() => (isCreated = true));
        await expect.poll(async () => (await api.countWaiting()) > 1 || isCreated).toBe(true);
      },
    });
    expect([erased.status, (await created!).status]).toEqual([200, 400]);
    expect(await api.countDangling()).toBe(0);
  });
});

describe('an upsert that changes nothing, with an Idempotency-Key', () => {
  const fieldsOf = (unique: string) => ({ last_name: unique, email: `${unique}@robotics.example` });
  const send = (path: string, body: object, key: string = newId()) =>
    api.tenant.client('POST', api.pathOf('contacts', path), { body, headers: { 'Idempotency-Key': key } });
  const upsertOf = (unique: string) => ({
    match: { email: fieldsOf(unique).email },
    set: { first_name: 'Ada', last_name: unique },
  });
  const shapes: [string, (unique: string, key?: string) => Promise<TrashResponse>][] = [
    ['alone', (unique, key) => send('/upsert', upsertOf(unique), key)],
    ['in a batch', (unique, key) => send('/batch', { operation: 'upsert', items: [upsertOf(unique)] }, key)],
  ];

  test.each(shapes)('%s: the stored response is erased with the record', async (_how, upsert) => {
    const unique = `q${newId().replaceAll('-', '')}`;
    const { id } = await api.make('contacts', fieldsOf(unique));
    const key = newId();
    const hash = createHash('sha256').update(key).digest();
    let erased: Promise<TrashResponse> | undefined;
    const upserted = await api.whileWritten(
      // Makes the upsert wait when it stores its response.
      `INSERT INTO idempotency_keys (org_id, key_id, name_hash, request_hash, request_id, status, body, record_ids)
       VALUES ($1, $2, $3, sha256(''), '', 200, '{}', '{}')`,
      [api.tenant.orgId, api.tenant.keyId, hash],
      {
        request: () => upsert(unique, key),
        meanwhile: async () => {
          erased = api.remove('contacts', id, '?erase=true');
          const isErased = () => api.get('contacts', id).then(({ status }) => status === 404);
          await expect.poll(async () => (await api.countWaiting()) > 1 || (await isErased())).toBe(true);
        },
      },
    );
    expect([upserted.status, (await erased!).status]).toEqual([200, 200]);
    expect(await findTraces(api, unique)).toEqual([]);
  });

  test.each(shapes)('%s: creates the record if it was erased meanwhile', async (_how, upsert) => {
    const unique = `q${newId().replaceAll('-', '')}`;
    const { id } = await api.make('contacts', fieldsOf(unique));
    const remove = 'DELETE FROM contacts WHERE id = $1';
    const { text } = await api.whileWritten(remove, [id], { request: () => upsert(unique) });
    expect(text).toMatch(/"action":"created"/);
  });
});
