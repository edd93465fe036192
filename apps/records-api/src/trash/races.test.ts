import { newId, statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TrashResponse, startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const rounds = 100;
/** Number of concurrent rounds. Requests of different rounds share transactions. */
const atOnce = 10;

/** Repeats a race many times. Each round returns the responses to a delete and to the concurrent write. */
async function race(round: (i: number) => Promise<[removed: TrashResponse, written: TrashResponse]>) {
  const outcomes = new Map<string, number>();
  for (let at = 0; at < rounds; at += atOnce) {
    const results = await Promise.all(Array.from({ length: atOnce }, (_, i) => round(at + i)));
    for (const [removed, written] of results) {
      const outcome = `${removed.status} ${written.status}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  expect(await api.countDangling()).toBe(0);
  return outcomes;
}

/** Sends two requests at the same time. In every other round, the second request is sent a little later. */
async function both(
  i: number,
  first: () => Promise<TrashResponse>,
  second: () => Promise<TrashResponse>,
): Promise<[TrashResponse, TrashResponse]> {
  if (i % 2 === 0) return Promise.all([first(), second()]);
  const later = second();
  return [await first(), await later];
}

const keyed = (i: number): Record<string, string> => (i % 3 === 0 ? { 'Idempotency-Key': newId() } : {});

describe('deletes concurrent with other writes: no 5xx, no dangling id, no lost row (acceptance B7.2)', () => {
  const post = (path: string, body: object, i: number) => api.tenant.client('POST', path, { body, headers: keyed(i) });
  const remove = (plural: 'accounts' | 'contacts', id: string, i: number) =>
    api.tenant.client('DELETE', api.pathOf(plural, `/${id}`), { headers: keyed(i + 1) });

  test('an activity that links to the record', async () => {
    const outcomes = await race(async (i) => {
      const { id } = await api.make('contacts');
      const body = { content: 'Called', contact_ids: [id] };
      return both(
        i,
        () => remove('contacts', id, i),
        () => post(api.pathOf('activities'), body, i),
      );
    });
    expect([...outcomes.keys()].filter((each) => !['200 201', '200 400'].includes(each))).toEqual([]);
  });

  test('an opportunity created under the account, and one with the contact', async () => {
    const outcomes = await race(async (i) => {
      const { id } = await api.make('accounts');
      return both(
        i,
        () => remove('accounts', id, i),
        () => post(api.pathOf('opportunities'), { opportunity_name: 'Deal', account_id: id }, i),
      );
    });
    expect([...outcomes.keys()].filter((each) => !['409 201', '200 400'].includes(each))).toEqual([]);
    const withContact = await race(async (i) => {
      const { id } = await api.make('contacts');
      const body = { opportunity_name: 'Deal', account_id: api.tenant.ids.account, contact_ids: [id] };
      return both(
        i,
        () => remove('contacts', id, i),
        () => post(api.pathOf('opportunities'), body, i),
      );
    });
    expect([...withContact.keys()].filter((each) => !['200 201', '200 400'].includes(each))).toEqual([]);
  });

  test('changes of the links of an opportunity, with and without locking it first', async () => {
    const deals = await Promise.all([1, 2, 3].map(() => api.make('opportunities')));
    const outcomes = await race(async (i) => {
      const [{ id }, deal] = [await api.make('contacts'), deals[i % 3]!];
      const changes = [
        { match: { id: deal.id }, add: { contact_ids: [id] } },
        { match: { id: deal.id }, set: { contact_ids: [id], amount: i } },
      ];
      return both(
        i,
        () => remove('contacts', id, i),
        () => post(api.pathOf('opportunities', '/upsert'), changes[i % 2]!, i),
      );
    });
    expect([...outcomes.keys()].filter((each) => !['200 200', '200 400', '200 409'].includes(each))).toEqual([]);
  });

  test('an upsert that matches the record changes it or creates another', async () => {
    const emails = new Map<string, TrashResponse[]>();
    const outcomes = await race(async (i) => {
      const email = `${newId()}@race.example`;
      const { id } = await api.make('contacts', { email });
      const body = { match: { email }, create: { first_name: 'A', last_name: 'B' }, set: { city: `City ${i}` } };
      const responses = await both(
        i,
        () => remove('contacts', id, i),
        () => post(api.pathOf('contacts', '/upsert'), body, i),
      );
      emails.set(email, responses);
      return responses;
    });
    expect([...outcomes.keys()].filter((each) => !['200 200', '200 201'].includes(each))).toEqual([]);
    for (const [email, [removed, written]] of emails) {
      const { data } = (await api.tenant.client('GET', api.pathOf('contacts', `?email=${email}`))).body;
      // Either the upsert came first and the delete removed the changed record, or the upsert created a new record.
      const isCreated = written!.status === 201;
      expect(data).toEqual(isCreated ? [written!.body.data] : []);
      expect(isCreated || removed!.body.data).toEqual(isCreated || written!.body.data);
    }
  });

  test('contacts of one opportunity and one activity at once are all removed', async () => {
    for (let i = 0; i < 10; i++) {
      const ids = await Promise.all(Array.from({ length: 20 }, async () => (await api.make('contacts')).id));
      const deal = await api.make('opportunities', { contact_ids: ids });
      const activity = await api.make('activities', { contact_ids: ids });
      const responses = await Promise.all(ids.slice(1).map((id, n) => remove('contacts', id, n)));
      expect(responses.map(({ status }) => status)).toEqual(ids.slice(1).map(() => 200));
      for (const [plural, { id }] of [
        ['opportunities', deal],
        ['activities', activity],
      ] as const) {
        const now = (await api.get(plural, id)).body.data;
        expect(now.contact_ids).toEqual([ids[0]]);
        const events = await api.history(plural, id);
        expect(events).toHaveLength(20);
        expect(events.at(-1)!['record']).toEqual(now);
      }
    }
  });
});

test('an account and its opportunities are deleted once, even if other requests delete the opportunities', async () => {
  for (let i = 0; i < 10; i++) {
    const account = await api.make('accounts');
    const deals = await Promise.all(
      Array.from({ length: 5 }, () => api.make('opportunities', { account_id: account.id })),
    );
    const responses = await Promise.all([
      api.remove('accounts', account.id, '?cascade=true'),
      ...deals.slice(0, 2).map(({ id }) => api.remove('opportunities', id)),
    ]);
    expect(responses[0]!.status).toBe(200);
    expect(responses.slice(1).map(({ status }) => [200, 404].includes(status))).toEqual([true, true]);
    const [row] = await api.sql<{ n: number }>(`SELECT count(*)::integer AS n FROM trash WHERE id = ANY ($1)`, [
      [account.id, ...deals.map(({ id }) => id)],
    ]);
    expect(row!.n).toBe(6);
  }
});

test('a delete waits for a write that links to the record, and then removes the link', async () => {
  const [contact, deal] = [await api.make('contacts'), await api.make('opportunities')];
  let removed: Promise<TrashResponse> | undefined;
  await api.db.owner.transaction(async (db) => {
    await db.query(statement('', 'SELECT FROM contacts WHERE id = $1 FOR KEY SHARE'), [contact.id]);
    await db.query(statement('', 'UPDATE opportunities SET contact_ids = ARRAY[$1::uuid] WHERE id = $2'), [
      contact.id,
      deal.id,
    ]);
    removed = api.remove('contacts', contact.id);
    await expect.poll(api.countWaiting).toBeGreaterThan(0);
  });
  expect((await removed!).body.meta.unlinked).toMatchObject({ opportunities: 1 });
  expect(await api.countDangling()).toBe(0);
});

test('a cascade leaves an opportunity that gets another account before it is locked', async () => {
  const [account, other] = [await api.make('accounts'), await api.make('accounts')];
  const [moving, staying] = await Promise.all([1, 2].map(() => api.make('opportunities', { account_id: account.id })));
  const move = 'UPDATE opportunities SET account_id = $1 WHERE id = $2';
  const request = () => api.remove('accounts', account.id, '?cascade=true');
  const { status, body } = await api.whileWritten(move, [other.id, moving!.id], { request });
  expect([status, body.meta?.deleted]).toEqual([200, { opportunities: 1 }]);
  expect((await api.get('opportunities', moving!.id)).body.data?.account_id).toBe(other.id);
  expect((await api.get('opportunities', staying!.id)).status).toBe(404);
});

test('a record to which the `set` of a merge refers cannot be deleted before the merge ends', async () => {
  const [winner, loser, account] = [await api.make('contacts'), await api.make('contacts'), await api.make('accounts')];
  const deal = await api.make('opportunities', { contact_ids: [loser.id] });
  const body = { winner_id: winner.id, loser_ids: [loser.id], set: { account_id: account.id } };
  let removed: Promise<TrashResponse> | undefined;
  const merged = await api.whileWritten('SELECT FROM opportunities WHERE id = $1 FOR UPDATE', [deal.id], {
    request: () => api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body }),
    meanwhile: async () => {
      removed = api.remove('accounts', account.id);
      const isDeleted = () => api.get('accounts', account.id).then(({ status }) => status === 404);
      await expect.poll(async () => (await api.countWaiting()) > 1 || (await isDeleted())).toBe(true);
    },
  });
  expect([merged.status, (await removed!).status]).toEqual([200, 200]);
  expect(await api.countDangling()).toBe(0);
  expect((await api.get('contacts', winner.id)).body.data).not.toHaveProperty('account_id');
});
