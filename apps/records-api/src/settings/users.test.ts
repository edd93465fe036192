import { onlyRow, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { inviteMember, redeemLink, removeMember } from '@relata/people';
import type { ApiClient } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createEmptyOrganization, eventsOf } from './settings.harness.ts';

let api: TestApi;
let client: ApiClient;
let orgId: string;
const path = '/v1/records/users';

beforeAll(async () => void (api = await startTestApi()));
beforeEach(async () => void ({ client, orgId } = await createEmptyOrganization(api)));
afterAll(() => api[Symbol.asyncDispose]());

const ada = { email: 'ada@acme.example', first_name: 'Ada', last_name: 'Lovelace' };
const create = (body: object = {}) => client('POST', path, { body: { ...ada, ...body } });
const patch = (id: string, body: object, headers = {}) => client('PATCH', `${path}/${id}`, { body, headers });
const invite = (email: string) => inviteMember(api.db, operatorActor(orgId, 'test'), { email, role: 'member' });
const conflict = { status: 409, error: { error: 'conflict' } };

test('a new user is an active member by default and has an event; null counts as an absent field', async () => {
  const member = { status: 201, body: { data: { role: 'member', status: 'active' } } };
  expect(await create({ role: null, status: null })).toMatchObject(member);
  const { data } = (await create({ email: 'g@acme.example', role: 'rep', status: '', job_level: 'lead' })).body;
  expect(data).toMatchObject({ role: 'rep', status: '', job_level: 'lead' });
  expect((await patch(data.id, { job_level: null })).body.data).not.toHaveProperty('job_level');
  expect(await eventsOf(client)).toEqual(['user.created', 'user.created', 'user.updated job_level']);
});

test('an address in use is refused in any letter case, even if its user is inactive', async () => {
  const { id } = (await create({ status: 'inactive' })).body.data;
  const used = { status: 409, error: { error: 'already_exists', candidate_ids: [id], candidate_count: 1 } };
  expect(await create({ email: 'ADA@Acme.example' })).toMatchObject(used);
  const other = (await create({ email: 'other@acme.example' })).body.data;
  expect(await patch(other.id, { email: 'Ada@acme.EXAMPLE' })).toMatchObject(used);
  expect((await patch(id, { email: 'ADA@acme.example' })).status).toBe(200);
  const { client: elsewhere } = await createEmptyOrganization(api);
  expect((await elsewhere('POST', path, { body: ada })).status).toBe(201);
});

test('if many users with the same address are created at once, only one is created', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => create()));
  expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 9 }, () => 409),
  ]);
});

test('B8.12: email, role and status of an invited user and of a member stay, until the membership ends', async () => {
  const { id } = (await create()).body.data;
  const { link } = await invite('ADA@acme.example');
  expect((await client('GET', path)).body.total, 'the invitation is linked to the user').toBe(1);
  const changes = [{ email: 'eve@acme.example' }, { role: 'admin' }, { status: 'inactive' }];
  const refused = async () => {
    for (const body of changes) expect(await patch(id, body)).toMatchObject(conflict);
    expect((await patch(id, { role: 'admin' }, { 'If-Match': '"x"' })).status).toBe(412);
    const kept = (await client('GET', `${path}/${id}`)).body.data;
    expect((await patch(id, { ...kept, job_function: 'sales' })).status).toBe(200);
  };
  await refused();
  const redeeming = {
    client: { ip: '192.0.2.1', userAgent: 'test' },
    maxMs: 60_000,
    requestId: 'test',
    currentPersonId: undefined,
  };
  const given = { token: link.token, name: 'Ada Lovelace', new_password: 'correct horse battery' };
  await redeemLink(api.db, given, redeeming);
  await refused();
  await inviteMember(api.db, operatorActor(orgId, 'test'), { email: 'root@acme.example', role: 'admin' });
  await removeMember(api.db, operatorActor(orgId, 'test'), id);
  for (const body of changes) expect((await patch(id, body)).status).toBe(200);
});

test('B8.12: a user created by the API cannot sign in, regardless of its fields', async () => {
  const { id } = (await create({ role: 'admin' })).body.data;
  expect((await patch(id, { status: 'active', role: 'admin', email: 'root@acme.example' })).status).toBe(200);
  const { members } = await countAccess();
  expect(members).toBe(0);
});

/** Counts the memberships and sign-in links of the organization. */
async function countAccess(): Promise<{ members: number }> {
  return onlyRow(api.db.database, accessCount, [orgId]);
}

const accessCount = statement<{ members: number }>(
  'test.access',
  `SELECT ((SELECT count(*) FROM memberships WHERE org_id = $1)
     + (SELECT count(*) FROM links WHERE org_id = $1))::integer AS members`,
);

test('if an invitation and a change of the address happen at once, one of them is refused, or the invitation has the new address', async () => {
  for (let i = 0; i < 10; i++) {
    const { id } = (await create({ email: `u${i}@acme.example` })).body.data;
    const [changed, invited] = await Promise.all([
      patch(id, { email: `v${i}@acme.example` }),
      invite(`u${i}@acme.example`),
    ]);
    const isLinked = invited.member.id === id;
    expect(changed.status, String(isLinked)).toBe(isLinked ? 409 : 200);
  }
});

test.each([
  [{ email: 'nobody' }, 'email invalid_format'],
  [{ first_name: '' }, 'first_name too_short'],
  [{ last_name: undefined }, 'last_name required'],
  [{ status: 'x'.repeat(2_049) }, 'status too_long'],
  [{ job_function: 'a\u0000' }, 'job_function invalid_format'],
  [{ password: 'x' }, 'password unknown_field'],
])('%j is refused: %s', async (given, problem) => {
  const { status, error } = await create(given);
  expect(status).toBe(400);
  expect(error.details?.map(({ field, code }) => `${field} ${code}`)).toEqual([problem]);
});

test('a patch of role or status to null is refused', async () => {
  const { id } = (await create()).body.data;
  const { status, error } = await patch(id, { role: null, status: null });
  expect([status, error.details?.map(({ code }) => code)]).toEqual([400, ['null_not_allowed', 'null_not_allowed']]);
});

test("another organization's user is not found", async () => {
  expect((await patch(api.tenant.ids.user, { role: 'x' })).status).toBe(404);
});
