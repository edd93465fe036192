import { newId } from '@relata/db';
import { apiClient } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTraces } from './traces.harness.ts';
import { type Plural, startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const erase = (plural: Plural, id: string, query = '', headers: Record<string, string> = {}) =>
  api.tenant.client('DELETE', api.pathOf(plural, `/${id}?erase=true${query}`), { headers });
const patch = (plural: Plural, id: string, body: object, headers: Record<string, string> = {}) =>
  api.tenant.client('PATCH', api.pathOf(plural, `/${id}`), { body, headers });
const merge = (winner: string, losers: string[]) =>
  api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body: { winner_id: winner, loser_ids: losers } });

/** Creates a person with a name and an address that occur nowhere else. */
async function makePerson(fields: object = {}) {
  const unique = `q${newId().replaceAll('-', '')}`;
  const names = [`Ada${unique}`, `${unique}@robotics.example`];
  const person = await api.make('contacts', { first_name: names[0], email: names[1], ...fields });
  return { id: person.id, names };
}

const tracesOf = ({ names }: { names: string[] }) => findTraces(api, ...names);

const none = { activities: 0, merged_records: 0 };

test('an erase returns only the id, and the record is gone with its history', async () => {
  const person = await makePerson();
  await patch('contacts', person.id, { title: 'CTO' });
  const before = await api.total('contacts');
  expect(await tracesOf(person)).not.toEqual([]);
  const { status, body } = await erase('contacts', person.id.toUpperCase());
  expect([status, body]).toEqual([
    200,
    {
      data: { id: person.id },
      meta: { action: 'erased', events: 2, ...none, unlinked: { opportunities: 0, activities: 0 } },
    },
  ]);
  expect(await tracesOf(person)).toEqual([]);
  expect(await api.total('contacts')).toBe(before - 1);
  for (const again of [await erase('contacts', person.id), await api.get('contacts', person.id)])
    expect(again.status).toBe(404);
});

test('events of an erased record keep place, id, type, actor and time, and the feed its order (acceptance B7.5)', async () => {
  const read = async (after: string) =>
    (await api.tenant.client('GET', `/v1/events?after=${after}&limit=100`)).body as {
      data: Record<string, unknown>[];
      next_cursor: string;
    };
  const { next_cursor: start } = await read('latest');
  const person = await makePerson();
  await patch('contacts', person.id, { title: 'CTO' });
  const other = await api.make('contacts');
  await api.remove('contacts', person.id);
  const before = (await read(start)).data;
  const { headers } = await erase('contacts', person.id);
  const after = (await read(start)).data;
  const expected = before.map(({ previous: _previous, details: _details, ...event }) =>
    event['record_id'] === person.id ? { ...event, record: { id: person.id }, erased: true } : event,
  );
  expect(after.slice(0, -1)).toEqual(expected);
  expect(after.at(-1)).toEqual({
    id: expect.any(String),
    type: 'contact.erased',
    created_at: expect.any(String),
    record_type: 'contact',
    record_id: person.id,
    actor: expect.objectContaining({ type: 'api_key', id: api.tenant.keyId }),
    request_id: headers.get('x-request-id'),
    record: { id: person.id },
    erased: true,
  });
  const only = (await api.tenant.client('GET', `/v1/events?after=${start}&type=contact.erased`)).body.data;
  expect(only).toEqual(after.slice(-1));
  expect((await api.history('contacts', person.id)).map(({ type }) => type)).toEqual([
    'contact.created',
    'contact.updated',
    'contact.deleted',
    'contact.erased',
  ]);
  expect((await api.get('contacts', other.id)).status).toBe(200);
});

describe('a record is erased wherever it is', () => {
  const purge = (id: string) => api.sql('DELETE FROM trash WHERE id = $1', [id]);
  const places: [string, (id: string) => Promise<unknown>, number][] = [
    ['in the trash', (id) => api.remove('contacts', id), 2],
    ['restored', async (id) => [await api.remove('contacts', id), await api.restore(id)], 3],
    ['purged', async (id) => [await api.remove('contacts', id), await purge(id)], 2],
    ['merged', async (id) => merge((await makePerson()).id, [id]), 2],
    [
      'merged and purged',
      async (id) => [
        await merge((await makePerson({ email: `${newId()}@robotics.example` })).id, [id]),
        await api.sql('UPDATE trash SET record = NULL WHERE id = $1', [id]),
      ],
      2,
    ],
  ];

  test.each(places)('%s', async (_place, move, events) => {
    const person = await makePerson();
    await move(person.id);
    for (const wrong of ['accounts', 'activities'] as const) expect((await erase(wrong, person.id)).status).toBe(404);
    const { status, body } = await erase('contacts', person.id);
    expect([status, body.meta?.events]).toEqual([200, events]);
    expect(await tracesOf(person)).toEqual([]);
    expect((await api.restore(person.id)).status).toBe(404);
    expect((await erase('contacts', person.id)).status).toBe(404);
    expect((await api.sql('SELECT FROM trash WHERE id = $1 OR merged_into = $1', [person.id])).length).toBe(0);
    expect((await api.sql('SELECT FROM trash_links WHERE id = $1 OR record_id = $1', [person.id])).length).toBe(0);
  });
});

test("another organization's record is not found, nor one that never existed", async () => {
  for (const id of [api.other.ids.contact, newId(), 'nonsense']) expect((await erase('contacts', id)).status).toBe(404);
  expect((await api.other.client('GET', api.pathOf('contacts', `/${api.other.ids.contact}`))).status).toBe(200);
});

test('records merged into it are erased too, by any chain, and the winner of an erased loser loses its crm_id', async () => {
  const [first, second, winner] = [await makePerson(), await makePerson(), await makePerson()];
  const crmId = `crm-${newId()}`;
  await api.tenant.client('POST', api.pathOf('contacts', '/upsert'), {
    body: { match: { id: first.id }, set: { crm_id: crmId } },
  });
  await patch('contacts', second.id, { title: 'Dr' });
  const other = await makePerson();
  await merge(second.id, [first.id, other.id]);
  await merge(winner.id, [second.id]);
  const details = async () =>
    (await api.history('contacts', second.id)).find(({ type }) => type === 'contact.merged')!['details'];
  const moved = { opportunities: 0, activities: 0 };
  expect(await details()).toEqual({ losers: [{ id: first.id, crm_id: crmId }, { id: other.id }], moved });
  const erased = await erase('contacts', first.id);
  expect(erased.body.meta.merged_records).toBe(0);
  expect(await details()).toEqual({ losers: [{ id: first.id }, { id: other.id }], moved });
  const { body } = await erase('contacts', winner.id);
  expect(body.meta.merged_records).toBe(2);
  for (const person of [first, second, other, winner]) expect(await tracesOf(person)).toEqual([]);
  expect(await findTraces(api, crmId)).toEqual([]);
  const types = await Promise.all([first, second, other, winner].map(({ id }) => api.history('contacts', id)));
  expect(types.map((each) => each.at(-1)!['type'])).toEqual(Array.from({ length: 4 }, () => 'contact.erased'));
});

test('a record whose merge was undone leaves nothing with the former winner, which stays as it is (acceptance B7.5)', async () => {
  const unique = `q${newId()}`;
  const fields = { email: `${unique}@robotics.example`, title: unique };
  const [loser, winner, other] = [await makePerson(fields), await api.make('contacts'), await makePerson()];
  const headers = { 'Idempotency-Key': newId() };
  const body = { winner_id: winner.id, loser_ids: [loser.id, other.id] };
  expect((await api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body, headers })).status).toBe(200);
  await patch('contacts', winner.id, { phone: '+41 44 000 00 00' });
  await api.restore(loser.id);
  await patch('contacts', winner.id, { title: 'CTO' });
  const before = await api.history('contacts', winner.id);
  const current = (await api.get('contacts', winner.id)).body;
  await erase('contacts', loser.id);
  expect(await findTraces(api, unique, ...loser.names)).toEqual([]);
  const after = await api.history('contacts', winner.id);
  const kept = (events: Record<string, unknown>[]) =>
    events.map(({ record, previous, details, ...event }) => {
      const { email, title, ...rest } = record as Record<string, unknown>;
      return { ...event, record: rest, hasDetails: details !== undefined, hasPrevious: previous !== undefined };
    });
  expect(kept(after)).toEqual(kept(before));
  expect(after.at(-1)).toEqual(before.at(-1));
  expect((await api.get('contacts', winner.id)).body).toEqual(current);
});

test('steps of a merge that was not completed are forgotten', async () => {
  const [winner, loser, other] = [await makePerson(), await makePerson(), await makePerson()];
  const keep = `INSERT INTO merge_steps (org_id, winner_id, loser_ids, moved) VALUES ($1, $2, ARRAY[$3::uuid, $4], '{}')`;
  for (const [one, ...losers] of [
    [winner, loser, other],
    [other, winner, loser],
  ])
    await api.sql(keep, [api.tenant.orgId, one!.id, ...losers.map(({ id }) => id)]);
  await erase('contacts', winner.id);
  expect(await api.sql('SELECT FROM merge_steps')).toEqual([]);
});

describe('links and activities', () => {
  test('links to it are cleared with events; activities keep their text', async () => {
    const person = await makePerson();
    const [deal, activity] = [
      await api.make('opportunities', { contact_ids: [person.id] }),
      await api.make('activities', { contact_ids: [person.id], content: 'Kept text' }),
    ];
    const { body, headers } = await erase('contacts', person.id);
    expect(body.meta).toMatchObject({ ...none, unlinked: { opportunities: 1, activities: 1 } });
    expect((await api.get('opportunities', deal.id)).body.data.contact_ids).toBeUndefined();
    expect((await api.get('activities', activity.id)).body.data).toMatchObject({
      content: 'Kept text',
      contact_ids: [],
    });
    expect((await api.history('activities', activity.id)).at(-1)).toMatchObject({
      type: 'activity.updated',
      request_id: headers.get('x-request-id'),
      previous: { contact_ids: [person.id] },
    });
  });

  test('activities=true erases all activities linked to it, also those deleted before or after the link was cleared', async () => {
    const person = await makePerson();
    const other = await makePerson();
    const make = (ids: string[]) => api.make('activities', { content: `About ${person.names[0]}`, contact_ids: ids });
    const activities = [await make([person.id]), await make([other.id, person.id]), await make([person.id])];
    await api.remove('activities', activities[0]!.id);
    const stays = await api.make('activities', { content: 'Other', contact_ids: [other.id] });
    await api.remove('contacts', person.id);
    await api.remove('activities', activities[2]!.id);
    const { body } = await erase('contacts', person.id, '&activities=true');
    expect(body.meta).toMatchObject({ activities: 3, unlinked: { activities: 0 } });
    expect(await tracesOf(person)).toEqual([]);
    for (const { id } of activities)
      expect((await api.history('activities', id)).at(-1)).toMatchObject({ type: 'activity.erased', erased: true });
    expect((await api.get('activities', stays.id)).status).toBe(200);
    expect((await api.get('contacts', other.id)).status).toBe(200);
  });

  test('an activity is erased by itself', async () => {
    const text = `About ${newId()}`;
    const { id } = await api.make('activities', { content: text });
    const { body } = await erase('activities', id);
    expect(body.meta).toEqual({ action: 'erased', events: 1, ...none, unlinked: {} });
    expect(await findTraces(api, text)).toEqual([]);
  });
});

describe('an account with opportunities', () => {
  test('is not erased, unless cascade=true erases them, also those that its delete included', async () => {
    const name = `Robotics ${newId()}`;
    const account = await api.make('accounts', { account_name: name });
    const contact = await api.make('contacts', { account_id: account.id });
    const make = () => api.make('opportunities', { opportunity_name: name, account_id: account.id });
    await make();
    expect(await erase('accounts', account.id)).toMatchObject({
      status: 409,
      error: { error: 'in_use', used_by: { opportunities: 1 } },
    });
    const activity = await api.make('activities', { opportunity_ids: [(await make()).id] });
    await api.remove('accounts', account.id, '?cascade=true');
    await api.restore(account.id);
    await make();
    const trial = await erase('accounts', account.id, '&cascade=true&dry_run=true');
    const { body } = await erase('accounts', account.id, '&cascade=true');
    expect(trial.body).toEqual({ ...body, meta: { ...body.meta, dry_run: true } });
    expect(body.meta).toMatchObject({ unlinked: { contacts: 1, activities: 1 }, erased: { opportunities: 3 } });
    expect(await findTraces(api, name)).toEqual([]);
    expect((await api.get('contacts', contact.id)).body.data.account_id).toBeUndefined();
    expect((await api.get('activities', activity.id)).body.data.opportunity_ids).toEqual([]);
    expect(await api.countDangling()).toBe(0);
  });

  test('in the trash takes along the opportunities that its delete included', async () => {
    const name = `Robotics ${newId()}`;
    const account = await api.make('accounts', { account_name: name });
    await api.make('opportunities', { opportunity_name: name, account_id: account.id });
    await api.remove('accounts', account.id, '?cascade=true');
    expect((await erase('accounts', account.id, '&cascade=true')).body.meta.erased).toEqual({ opportunities: 1 });
    expect(await findTraces(api, name)).toEqual([]);
  });
});

describe('stored answers', () => {
  test('those with the record are erased; a repeated request is not carried out again', async () => {
    const unique = newId();
    const headers = { 'Idempotency-Key': newId() };
    const body = { first_name: 'Ada', last_name: `L${unique}` };
    const create = () => api.tenant.client('POST', api.pathOf('contacts'), { body, headers });
    const { id } = (await create()).body.data as { id: string };
    const batch = { 'Idempotency-Key': newId() };
    const items = [
      { id, set: { title: 'CTO' } },
      { id: api.tenant.ids.contact, set: { title: 'CTO' } },
    ];
    const update = () =>
      api.tenant.client('POST', api.pathOf('contacts', '/batch'), {
        body: { operation: 'update', items },
        headers: batch,
      });
    expect((await update()).body.succeeded).toBe(2);
    const erasing = { 'Idempotency-Key': newId() };
    const first = await erase('contacts', id, '', erasing);
    expect(await findTraces(api, unique)).toEqual([]);
    for (const again of [await create(), await update()]) {
      expect(again).toMatchObject({ status: 409, error: { error: 'conflict' } });
      expect(again.error.message).toMatch(/stored answer was erased/);
    }
    const second = await erase('contacts', id, '', erasing);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

test('a dry run answers as the erase would, and changes nothing', async () => {
  const person = await makePerson();
  await api.make('activities', { contact_ids: [person.id] });
  const before = await api.sql('SELECT * FROM events ORDER BY seq');
  const trial = await erase('contacts', person.id, '&activities=true&dry_run=true');
  expect(await api.sql('SELECT * FROM events ORDER BY seq')).toEqual(before);
  expect((await api.get('contacts', person.id)).status).toBe(200);
  const { body } = await erase('contacts', person.id, '&activities=true');
  expect(trial.body).toEqual({ ...body, meta: { ...body.meta, dry_run: true } });
});

test('a history of more than 10,000 events is erased in several transactions, also with an Idempotency-Key', async () => {
  const person = await makePerson();
  await api.sql(
    `INSERT INTO events (org_id, id, seq, type, record_id, actor, record)
     SELECT $1, gen_random_uuid(), next_event($1), 'contact.updated', $2, '{"type":"system"}', json_build_object('id', $2::uuid, 'first_name', $3::text)
     FROM generate_series(1, 10000)`,
    [api.tenant.orgId, person.id, person.names[0]],
  );
  const trial = await erase('contacts', person.id, '&dry_run=true');
  expect(trial.body.meta).toMatchObject({ events: 10_001, counts_relation: 'gte', dry_run: true });
  expect(await tracesOf(person)).toContain('contacts');
  const headers = { 'Idempotency-Key': newId() };
  const first = await erase('contacts', person.id, '', headers);
  expect([first.status, first.body.meta?.events, first.body.meta?.counts_relation]).toEqual([200, 10_001, undefined]);
  expect(await tracesOf(person)).toEqual([]);
  const [{ n, transactions }] = (await api.sql<{ n: number; transactions: number }>(
    `SELECT count(*)::integer AS n, count(DISTINCT xmin::text)::integer AS transactions FROM events
     WHERE record_id = $1 AND record IS NULL`,
    [person.id],
  )) as [{ n: number; transactions: number }];
  expect([n, transactions > 1]).toEqual([10_002, true]);
  expect((await erase('contacts', person.id, '', headers)).text).toBe(first.text);
});

test('If-Match erases only the version that was read, or that was deleted', async () => {
  const { id } = await makePerson();
  const stale = (await api.get('contacts', id)).headers.get('etag')!;
  await patch('contacts', id, { title: 'CTO' });
  const current = (await api.get('contacts', id)).headers.get('etag')!;
  const refused = await erase('contacts', id, '', { 'If-Match': stale });
  expect([refused.status, refused.headers.get('etag')]).toEqual([412, current]);
  await api.remove('contacts', id);
  expect((await erase('contacts', id, '', { 'If-Match': stale })).status).toBe(412);
  expect((await erase('contacts', id, '', { 'If-Match': current })).status).toBe(200);
  const { id: purged } = await makePerson();
  const { headers } = await api.get('contacts', purged);
  await api.remove('contacts', purged);
  await api.sql('DELETE FROM trash WHERE id = $1', [purged]);
  const unknown = await erase('contacts', purged, '', { 'If-Match': headers.get('etag')! });
  expect([unknown.status, unknown.error.message]).toEqual([412, expect.stringMatching(/^No version .* is kept/)]);
});

describe('parameters and permissions', () => {
  test('activities needs erase=true; erase=false deletes', async () => {
    const { id } = await makePerson();
    for (const query of ['?activities=true', '?activities=false&erase=false'])
      expect((await api.remove('contacts', id, query)).error.details).toMatchObject([
        { field: 'activities', code: 'conflicting_parameters' },
      ]);
    expect((await erase('contacts', id, '&cascade=true')).error.details).toMatchObject([
      { field: 'cascade', code: 'unknown_field' },
    ]);
    expect((await erase('activities', id, '&activities=true')).error.details).toMatchObject([
      { field: 'activities', code: 'unknown_field' },
    ]);
    expect((await api.remove('contacts', id, '?erase=yes')).error.details).toMatchObject([
      { field: 'erase', code: 'invalid_enum' },
    ]);
    const { body } = await api.remove('contacts', id, '?erase=false');
    expect(body.meta.action).toBe('deleted');
  });

  test('an erase needs records:erase only, and a delete does not become one (acceptance B7.6)', async () => {
    const { id } = await makePerson();
    const others = (['records:read', 'records:write', 'records:delete', 'activities:write'] as const).slice();
    const refused = apiClient(api.url, await api.keyWith(others));
    const { status, error } = await refused('DELETE', api.pathOf('contacts', `/${id}?erase=true&nonsense=1`));
    expect([status, error.required_scopes]).toEqual([403, ['records:erase']]);
    const only = apiClient(api.url, await api.keyWith(['records:erase']));
    const removal = await only('DELETE', api.pathOf('contacts', `/${id}`));
    expect([removal.status, removal.error.required_scopes]).toEqual([403, ['records:delete']]);
    expect((await only('DELETE', api.pathOf('contacts', `/${id}?erase=true`))).status).toBe(200);
  });
});
