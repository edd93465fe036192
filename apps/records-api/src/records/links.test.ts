import { newId, statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

type Plural = 'accounts' | 'contacts' | 'opportunities';

const bodies: Record<Plural, () => object> = {
  accounts: () => ({ account_name: 'Robotics' }),
  contacts: () => ({ first_name: 'Ada', last_name: 'Lovelace' }),
  opportunities: () => ({ opportunity_name: 'Deal', account_id: api.tenant.ids.account }),
};

const path = (plural: Plural, rest = '') => `/v1/records/${plural}${rest}`;
const create = (plural: Plural, fields: object = {}) =>
  api.tenant.client('POST', path(plural), { body: { ...bodies[plural](), ...fields } });
const patch = (plural: Plural, id: string, body: object, headers: Record<string, string> = {}) =>
  api.tenant.client('PATCH', path(plural, `/${id}`), { body, headers });
const get = (plural: Plural, id: string) => api.tenant.client('GET', path(plural, `/${id}`));
const createId = async (plural: Plural) => (await create(plural)).body.data.id as string;

const links = [
  ['accounts', 'owner_id', 'user'],
  ['contacts', 'account_id', 'account'],
  ['contacts', 'owner_id', 'user'],
  ['opportunities', 'owner_id', 'user'],
] as const;

describe.each(links)('%s: %s', (plural, field, target) => {
  const idOf = (organization: 'tenant' | 'other') => api[organization].ids[target];

  test('is stored, shown, changed and cleared, and its events say so', async () => {
    const { id } = (await create(plural, { [field]: idOf('tenant').toUpperCase() })).body.data;
    expect((await get(plural, id)).body.data).toHaveProperty(field, idOf('tenant'));
    expect((await patch(plural, id, { [field]: null })).body.data).not.toHaveProperty(field);
    await patch(plural, id, { [field]: idOf('tenant') });
    const { data } = (await api.tenant.client('GET', path(plural, `/${id}/history`))).body;
    expect(data.map(({ changed, previous }: Record<string, unknown>) => ({ changed, previous }))).toEqual([
      {},
      { changed: [field], previous: { [field]: idOf('tenant') } },
      { changed: [field], previous: {} },
    ]);
  });

  test('refuses an id that the organization does not have, in every kind of write (acceptance B4.11)', async () => {
    const id = await createId(plural);
    for (const foreign of [idOf('other'), newId()]) {
      const refused = [expect.objectContaining({ code: 'invalid_reference', field: expect.stringContaining(field) })];
      expect((await create(plural, { [field]: foreign })).error.details).toEqual(refused);
      expect((await patch(plural, id, { [field]: foreign })).error.details).toEqual(refused);
      const upsert = { match: { id }, set: { [field]: foreign } };
      const upserted = await api.tenant.client('POST', path(plural, '/upsert'), { body: upsert });
      expect(upserted.error.details).toEqual(refused);
    }
    expect((await get(plural, id)).body.data).not.toHaveProperty(field);
  });
});

describe('contact_ids of opportunities', () => {
  const withContacts = (ids: unknown) => create('opportunities', { contact_ids: ids });

  test('keeps the order, stores equal ids once, and is left out when empty', async () => {
    const [a, b] = [await createId('contacts'), await createId('contacts')];
    const { data } = (await withContacts([b, a.toUpperCase(), b, a])).body;
    expect(data.contact_ids).toEqual([b, a]);
    expect((await patch('opportunities', data.id, { contact_ids: [a, a, b] })).body.data.contact_ids).toEqual([a, b]);
    const same = await patch('opportunities', data.id, { contact_ids: [a, b, a] });
    expect(same.body.meta ?? {}).not.toHaveProperty('changed');
    for (const empty of [null, []]) {
      await patch('opportunities', data.id, { contact_ids: [a] });
      const cleared = (await patch('opportunities', data.id, { contact_ids: empty })).body.data;
      expect(cleared).not.toHaveProperty('contact_ids');
    }
    const events = (await api.tenant.client('GET', path('opportunities', `/${data.id}/history`))).body.data;
    expect(events.at(1)).toMatchObject({ changed: ['contact_ids'], previous: { contact_ids: [b, a] } });
    expect(events.at(3)).toMatchObject({ changed: ['contact_ids'], previous: { contact_ids: [a] } });
    expect(events.at(3).record).not.toHaveProperty('contact_ids');
    expect(events.at(4)).toMatchObject({ changed: ['contact_ids'], previous: {}, record: { contact_ids: [a] } });
  });

  test('holds 100 ids, counted as sent', async () => {
    const id = await createId('contacts');
    expect((await withContacts(Array.from({ length: 100 }, () => id))).body.data.contact_ids).toEqual([id]);
    const { error } = await withContacts(Array.from({ length: 101 }, () => id));
    expect(error.details).toEqual([expect.objectContaining({ field: 'contact_ids', code: 'too_many' })]);
  });

  test('refuses a list with one foreign id (acceptance B4.11)', async () => {
    const [own, foreign] = [await createId('contacts'), api.other.ids.contact];
    const refused = [expect.objectContaining({ code: 'invalid_reference', field: 'contact_ids' })];
    expect((await withContacts([own, foreign])).error.details).toEqual(refused);
    const id = await createId('opportunities');
    expect((await patch('opportunities', id, { contact_ids: [own, foreign] })).error.details).toEqual(refused);
    expect((await get('opportunities', id)).body.data).not.toHaveProperty('contact_ids');
  });

  test('an upsert adds to the list, and is refused if the list is full', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => createId('contacts')));
    const { id } = (await withContacts(ids.slice(0, 2))).body.data;
    const add = async (contactIds: string[]) =>
      api.tenant.client('POST', path('opportunities', '/upsert'), {
        body: { match: { id }, add: { contact_ids: contactIds } },
      });
    expect((await add([ids[1]!, ids[2]!])).body.data.contact_ids).toEqual(ids.slice(0, 3));
    expect((await add(ids.slice(3))).body.data.contact_ids).toEqual(ids);
    const { error } = await add([await createId('contacts')]);
    expect(error.details).toEqual([expect.objectContaining({ code: 'too_many' })]);
  });
});

test('links take part in If-Match, dry runs and batches', async () => {
  const contact = await createId('contacts');
  const owner_id = api.tenant.ids.user;
  const { headers } = await get('contacts', contact);
  const ifMatch = { 'if-match': headers.get('etag')! };
  expect((await patch('contacts', contact, { owner_id }, ifMatch)).status).toBe(200);
  expect((await patch('contacts', contact, { owner_id: null }, ifMatch)).status).toBe(412);
  const dry = await api.tenant.client('PATCH', path('contacts', `/${contact}?dry_run=true`), {
    body: { account_id: api.tenant.ids.account },
  });
  expect(dry.body.data).toMatchObject({ account_id: api.tenant.ids.account, owner_id });
  const items = [
    { ...bodies.opportunities(), contact_ids: [contact], owner_id },
    { ...bodies.opportunities(), contact_ids: [newId()] },
  ];
  const body = { operation: 'create', items };
  const batch = await api.tenant.client('POST', path('opportunities', '/batch'), { body });
  expect(batch.body.data.map(({ status }: { status: number }) => status)).toEqual([201, 400]);
});

describe('links and deletes of their targets (acceptance B4.11)', () => {
  const sql = <Row>(text: string) => statement<Row>('', text);
  const countDangling = async () => {
    const dangling = sql<{ n: number }>(
      `SELECT count(*)::integer AS n FROM opportunities o, unnest(o.contact_ids) AS named (id)
       WHERE NOT EXISTS (SELECT FROM contacts c WHERE c.org_id = o.org_id AND c.id = named.id)`,
    );
    return (await api.db.owner.query(dangling, []))[0]!.n;
  };
  const isWaiting = sql<{ n: number }>(
    `SELECT count(*)::integer AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );

  /** Deletes a row, starts the writers, and commits once all of them wait for the row. */
  async function deleteWhile(table: string, id: string, writers: () => Promise<unknown>[]) {
    const removed = Promise.withResolvers<void>();
    const removal = api.db.owner.transaction(async (db) => {
      await db.query(sql(`DELETE FROM ${table} WHERE id = $1`), [id]);
      removed.resolve();
      await expect.poll(async () => (await api.db.owner.query(isWaiting, []))[0]!.n).toBeGreaterThan(0);
    });
    await removed.promise;
    const written = writers();
    await removal;
    return Promise.all(written);
  }

  async function createTarget(target: 'user' | 'account' | 'contact'): Promise<string> {
    if (target === 'account') return createId('accounts');
    if (target === 'contact') return createId('contacts');
    const id = newId();
    await api.db.owner.query(
      sql(
        `INSERT INTO users (org_id, id, email, first_name, last_name, role, status)
         VALUES ($1, $2, $3, 'Grace', 'Hopper', 'member', 'active')`,
      ),
      [api.tenant.orgId, id, `${id}@acme.example`],
    );
    return id;
  }

  test.each([...links, ['opportunities', 'contact_ids', 'contact'] as const])(
    '%s: writes of %s wait for the delete of a record that they link, and are then refused',
    async (plural, field, target) => {
      const id = await createTarget(target);
      const kept = await createId(plural);
      const value = field === 'contact_ids' ? [id] : id;
      const responses = (await deleteWhile(`${target}s`, id, () => [
        create(plural, { [field]: value }),
        patch(plural, kept, { [field]: value }),
      ])) as Awaited<ReturnType<typeof create>>[];
      for (const { status, error } of responses) {
        expect(status).toBe(400);
        expect(error.details).toMatchObject([{ field, code: 'invalid_reference' }]);
      }
      expect(await countDangling()).toBe(0);
    },
  );

  test('a change that waits for a contact does not delay changes of other records', async () => {
    const contact = await createId('contacts');
    const [waiting, other] = [await createId('opportunities'), await createId('opportunities')];
    const order: string[] = [];
    let blocked: Promise<unknown> | undefined;
    await api.db.owner.transaction(async (db) => {
      await db.query(sql('SELECT FROM contacts WHERE id = $1 FOR UPDATE'), [contact]);
      blocked = patch('opportunities', waiting, { contact_ids: [contact] }).then(() => order.push('blocked'));
      await expect.poll(async () => (await api.db.owner.query(isWaiting, []))[0]!.n).toBeGreaterThan(0);
      await patch('opportunities', other, { amount: 7 });
      order.push('other');
    });
    await blocked;
    expect(order).toEqual(['other', 'blocked']);
    expect((await get('opportunities', waiting)).body.data.contact_ids).toEqual([contact]);
  });

  test('a change that repeats its links does not wait for the linked records', async () => {
    const contact = await createId('contacts');
    const owner_id = await createTarget('user');
    const { id } = (await create('opportunities', { contact_ids: [contact], owner_id })).body.data;
    await api.db.owner.transaction(async (db) => {
      await db.query(sql('SELECT FROM contacts WHERE id = $1 FOR UPDATE'), [contact]);
      await db.query(sql('SELECT FROM users WHERE id = $1 FOR UPDATE'), [owner_id]);
      const changed = await patch('opportunities', id, { contact_ids: [contact], owner_id, amount: 7 });
      expect(changed.body.data).toMatchObject({ contact_ids: [contact], owner_id, amount: 7 });
    });
  });

  test('many writes concurrent with deletes leave no id of a deleted record, and none fails', async () => {
    const statuses: number[] = [];
    let deleted = 0;
    for (let round = 0; round < 6; round++) {
      const ids = await Promise.all(Array.from({ length: 4 }, () => createId('contacts')));
      const kept = await createId('opportunities');
      // This deletes contacts, locks them in the order of their ids, and skips contacts that an opportunity links to.
      const removal = async () => {
        const gone = await api.db.owner.transaction(async (db) => {
          await db.query(sql('SELECT FROM contacts WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE'), [ids]);
          const unnamed = `DELETE FROM contacts c WHERE c.id = ANY ($1::uuid[])
             AND NOT EXISTS (SELECT FROM opportunities o WHERE c.id = ANY (o.contact_ids)) RETURNING c.id`;
          return db.query(sql<{ id: string }>(unnamed), [ids]);
        });
        deleted += gone.length;
      };
      const write = async (i: number) => {
        const contact_ids = i % 3 === 0 ? ids.toReversed() : ids.slice(i % 4, 3);
        const written =
          i % 2 === 0 ? create('opportunities', { contact_ids }) : patch('opportunities', kept, { contact_ids });
        statuses.push((await written).status);
      };
      const named = create('opportunities', { contact_ids: ids.slice(0, 2) });
      if (round % 2 === 0) statuses.push((await named).status);
      await Promise.all([removal(), ...[0, 1, 2, 3].map(write)]);
      await named;
      await removal();
    }
    expect(await countDangling()).toBe(0);
    expect(statuses.filter((status) => ![200, 201, 400].includes(status))).toEqual([]);
    expect(statuses).toContain(201);
    expect(deleted).toBeGreaterThan(0);
  });
});

test('activities lock the records that they link in the order of their ids', async () => {
  const [a, b] = [await createId('contacts'), await createId('contacts')];
  const locked = statement<{ id: string }>(
    '',
    `SELECT id FROM contacts WHERE id = ANY ($1::uuid[]) FOR UPDATE SKIP LOCKED`,
  );
  const isWaiting = statement<{ n: number }>(
    '',
    `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  let created: Promise<unknown> | undefined;
  const free = await api.db.owner.transaction(async (db) => {
    await db.query(statement('', 'SELECT FROM contacts WHERE id = $1 FOR UPDATE'), [a]);
    const body = { content: 'Called', contact_ids: [b, a] };
    created = api.tenant.client('POST', '/v1/activities/custom', { body });
    await expect.poll(async () => (await api.db.owner.query(isWaiting, []))[0]!.n).toBeGreaterThan(0);
    // The contact with the higher id is not locked yet, although the request names it first.
    return api.db.owner.transaction((other) => other.query(locked, [[b]]));
  });
  expect(free).toEqual([{ id: b }]);
  expect(await created).toMatchObject({ status: 201, body: { data: { contact_ids: [b, a] } } });
});
