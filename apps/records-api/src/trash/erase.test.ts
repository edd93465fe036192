import { newId } from '@relata/db';
import { apiClient } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EraseApi, startEraseApi } from './erase.harness.ts';
import { findTraces } from './traces.harness.ts';

let api: EraseApi;
beforeAll(async () => {
  api = await startEraseApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const merge = (winner: string, losers: string[]) =>
  api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body: { winner_id: winner, loser_ids: losers } });

const none = { activities: 0, merged_records: 0 };

test('an erase returns only the id, and the record and its history no longer exist', async () => {
  const person = await api.makePerson();
  await api.patch('contacts', person.id, { title: 'CTO' });
  const before = await api.total('contacts');
  expect(await api.tracesOf(person)).not.toEqual([]);
  const { status, body } = await api.erase('contacts', person.id.toUpperCase());
  expect([status, body]).toEqual([
    200,
    {
      data: { id: person.id },
      meta: { action: 'erased', events: 2, ...none, unlinked: { opportunities: 0, activities: 0 } },
    },
  ]);
  expect(await api.tracesOf(person)).toEqual([]);
  expect(await api.total('contacts')).toBe(before - 1);
  for (const again of [await api.erase('contacts', person.id), await api.get('contacts', person.id)])
    expect(again.status).toBe(404);
});

test('events of an erased record keep their position, id, type, actor and time, so the feed keeps its order (acceptance B7.5)', async () => {
  const read = async (after: string) =>
    (await api.tenant.client('GET', `/v1/events?after=${after}&limit=100`)).body as {
      data: Record<string, unknown>[];
      next_cursor: string;
    };
  const { next_cursor: start } = await read('latest');
  const person = await api.makePerson();
  await api.patch('contacts', person.id, { title: 'CTO' });
  const other = await api.make('contacts');
  await api.remove('contacts', person.id);
  const before = (await read(start)).data;
  const { headers } = await api.erase('contacts', person.id);
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
    ['merged', async (id) => merge((await api.makePerson()).id, [id]), 2],
    [
      'merged and purged',
      async (id) => [
        await merge((await api.makePerson({ email: `${newId()}@robotics.example` })).id, [id]),
        await api.sql('UPDATE trash SET record = NULL WHERE id = $1', [id]),
      ],
      2,
    ],
  ];

  test.each(places)('%s', async (_place, move, events) => {
    const person = await api.makePerson();
    await move(person.id);
    for (const wrong of ['accounts', 'activities'] as const)
      expect((await api.erase(wrong, person.id)).status).toBe(404);
    const { status, body } = await api.erase('contacts', person.id);
    expect([status, body.meta?.events]).toEqual([200, events]);
    expect(await api.tracesOf(person)).toEqual([]);
    expect((await api.restore(person.id)).status).toBe(404);
    expect((await api.erase('contacts', person.id)).status).toBe(404);
    expect((await api.sql('SELECT FROM trash WHERE id = $1 OR merged_into = $1', [person.id])).length).toBe(0);
    expect((await api.sql('SELECT FROM trash_links WHERE id = $1 OR record_id = $1', [person.id])).length).toBe(0);
  });
});

test('a record of another organization or one that never existed is not found', async () => {
  for (const id of [api.other.ids.contact, newId(), 'nonsense'])
    expect((await api.erase('contacts', id)).status).toBe(404);
  expect((await api.other.client('GET', api.pathOf('contacts', `/${api.other.ids.contact}`))).status).toBe(200);
});

test("records that were merged into the record, also indirectly, are erased, too; the winner of an erased loser loses that loser's crm_id", async () => {
  const [first, second, winner] = [await api.makePerson(), await api.makePerson(), await api.makePerson()];
  const crmId = `crm-${newId()}`;
  await api.tenant.client('POST', api.pathOf('contacts', '/upsert'), {
    body: { match: { id: first.id }, set: { crm_id: crmId } },
  });
  await api.patch('contacts', second.id, { title: 'Dr' });
  const other = await api.makePerson();
  await merge(second.id, [first.id, other.id]);
  await merge(winner.id, [second.id]);
  const details = async () =>
    (await api.history('contacts', second.id)).find(({ type }) => type === 'contact.merged')!['details'];
  const moved = { opportunities: 0, activities: 0 };
  expect(await details()).toEqual({ losers: [{ id: first.id, crm_id: crmId }, { id: other.id }], moved });
  const erased = await api.erase('contacts', first.id);
  expect(erased.body.meta.merged_records).toBe(0);
  expect(await details()).toEqual({ losers: [{ id: first.id }, { id: other.id }], moved });
  const { body } = await api.erase('contacts', winner.id);
  expect(body.meta.merged_records).toBe(2);
  for (const person of [first, second, other, winner]) expect(await api.tracesOf(person)).toEqual([]);
  expect(await findTraces(api, crmId)).toEqual([]);
  const types = await Promise.all([first, second, other, winner].map(({ id }) => api.history('contacts', id)));
  expect(types.map((each) => each.at(-1)!['type'])).toEqual(Array.from({ length: 4 }, () => 'contact.erased'));
});

test('a record whose merge was undone leaves no data with the former winner, which is not changed (acceptance B7.5)', async () => {
  const unique = `q${newId()}`;
  const fields = { email: `${unique}@robotics.example`, title: unique };
  const [loser, winner, other] = [await api.makePerson(fields), await api.make('contacts'), await api.makePerson()];
  const headers = { 'Idempotency-Key': newId() };
  const body = { winner_id: winner.id, loser_ids: [loser.id, other.id] };
  expect((await api.tenant.client('POST', api.pathOf('contacts', '/merge'), { body, headers })).status).toBe(200);
  await api.patch('contacts', winner.id, { phone: '+41 44 000 00 00' });
  await api.restore(loser.id);
  await api.patch('contacts', winner.id, { title: 'CTO' });
  const before = await api.history('contacts', winner.id);
  const current = (await api.get('contacts', winner.id)).body;
  await api.erase('contacts', loser.id);
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

test('an erase removes the steps of a merge that was not completed', async () => {
  const [winner, loser, other] = [await api.makePerson(), await api.makePerson(), await api.makePerson()];
  const keep = `INSERT INTO merge_steps (org_id, winner_id, loser_ids, moved) VALUES ($1, $2, ARRAY[$3::uuid, $4], '{}')`;
  for (const [one, ...losers] of [
    [winner, loser, other],
    [other, winner, loser],
  ])
    await api.sql(keep, [api.tenant.orgId, one!.id, ...losers.map(({ id }) => id)]);
  await api.erase('contacts', winner.id);
  expect(await api.sql('SELECT FROM merge_steps')).toEqual([]);
});

describe('stored answers', () => {
  test('that contain the record are erased; a repeated request is not carried out again', async () => {
    const unique = newId();
    const headers = { 'Idempotency-Key': newId() };
    const body = { first_name: 'Ada', last_name: `L${unique}` };
    const create = (more = {}) =>
      api.tenant.client('POST', api.pathOf('contacts'), { body: { ...body, ...more }, headers });
    const made = await create();
    const { id } = made.body.data as { id: string };
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
    const first = await api.erase('contacts', id, '', erasing);
    expect(await findTraces(api, unique)).toEqual([]);
    for (const again of [await create(), await update()]) {
      expect(again).toMatchObject({ status: 409, error: { error: 'conflict' } });
      expect(again.error.message).toMatch(/stored answer was erased/);
    }
    const first_request_id = made.headers.get('x-request-id');
    expect(await create({ title: 'CTO' })).toMatchObject({ status: 422, error: { first_request_id } });
    const second = await api.erase('contacts', id, '', erasing);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

test('a dry run answers as the erase would, and changes nothing', async () => {
  const person = await api.makePerson();
  await api.make('activities', { contact_ids: [person.id] });
  const before = await api.sql('SELECT * FROM events ORDER BY seq');
  const trial = await api.erase('contacts', person.id, '&activities=true&dry_run=true');
  expect(await api.sql('SELECT * FROM events ORDER BY seq')).toEqual(before);
  expect((await api.get('contacts', person.id)).status).toBe(200);
  const { body } = await api.erase('contacts', person.id, '&activities=true');
  expect(trial.body).toEqual({ ...body, meta: { ...body.meta, dry_run: true } });
});

test('a history of more than 10,000 events is erased in several transactions, also with an Idempotency-Key', async () => {
  const person = await api.makePerson();
  await api.sql(
    `INSERT INTO events (org_id, id, seq, type, record_id, actor, record)
     SELECT $1, gen_random_uuid(), next_event($1), 'contact.updated', $2, '{"type":"system"}', json_build_object('id', $2::uuid, 'first_name', $3::text)
     FROM generate_series(1, 10000)`,
    [api.tenant.orgId, person.id, person.names[0]],
  );
  const trial = await api.erase('contacts', person.id, '&dry_run=true');
  expect(trial.body.meta).toMatchObject({ events: 10_001, counts_relation: 'gte', dry_run: true });
  expect(await api.tracesOf(person)).toContain('contacts');
  const headers = { 'Idempotency-Key': newId() };
  const first = await api.erase('contacts', person.id, '', headers);
  expect([first.status, first.body.meta?.events, first.body.meta?.counts_relation]).toEqual([200, 10_001, undefined]);
  expect(await api.tracesOf(person)).toEqual([]);
  const [{ n, transactions }] = (await api.sql<{ n: number; transactions: number }>(
    `SELECT count(*)::integer AS n, count(DISTINCT xmin::text)::integer AS transactions FROM events
     WHERE record_id = $1 AND record IS NULL`,
    [person.id],
  )) as [{ n: number; transactions: number }];
  expect([n, transactions > 1]).toEqual([10_002, true]);
  expect((await api.erase('contacts', person.id, '', headers)).text).toBe(first.text);
});

test('If-Match erases only the version that was read, or that was deleted', async () => {
  const { id } = await api.makePerson();
  const stale = (await api.get('contacts', id)).headers.get('etag')!;
  await api.patch('contacts', id, { title: 'CTO' });
  const current = (await api.get('contacts', id)).headers.get('etag')!;
  const refused = await api.erase('contacts', id, '', { 'If-Match': stale });
  expect([refused.status, refused.headers.get('etag')]).toEqual([412, current]);
  await api.remove('contacts', id);
  expect((await api.erase('contacts', id, '', { 'If-Match': stale })).status).toBe(412);
  expect((await api.erase('contacts', id, '', { 'If-Match': current })).status).toBe(200);
  const { id: purged } = await api.makePerson();
  const { headers } = await api.get('contacts', purged);
  await api.remove('contacts', purged);
  await api.sql('DELETE FROM trash WHERE id = $1', [purged]);
  const unknown = await api.erase('contacts', purged, '', { 'If-Match': headers.get('etag')! });
  expect([unknown.status, unknown.error.message]).toEqual([412, expect.stringMatching(/^No version .* is kept/)]);
});

describe('parameters and permissions', () => {
  test('activities needs erase=true; erase=false deletes', async () => {
    const { id } = await api.makePerson();
    for (const query of ['?activities=true', '?activities=false&erase=false'])
      expect((await api.remove('contacts', id, query)).error.details).toMatchObject([
        { field: 'activities', code: 'conflicting_parameters' },
      ]);
    expect((await api.erase('contacts', id, '&cascade=true')).error.details).toMatchObject([
      { field: 'cascade', code: 'unknown_field' },
    ]);
    expect((await api.erase('activities', id, '&activities=true')).error.details).toMatchObject([
      { field: 'activities', code: 'unknown_field' },
    ]);
    expect((await api.remove('contacts', id, '?erase=yes')).error.details).toMatchObject([
      { field: 'erase', code: 'invalid_enum' },
    ]);
    const { body } = await api.remove('contacts', id, '?erase=false');
    expect(body.meta.action).toBe('deleted');
  });

  test('an erase requires only records:erase, and records:delete does not permit an erase (acceptance B7.6)', async () => {
    const { id } = await api.makePerson();
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
