import { createApiKey, createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { buildIndexes } from '@relata/records';
import { type ApiClient, apiClient } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { comparisons, type Group, groupsOf, insertAlike, sorted, walk } from './duplicates.harness.ts';

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const pathOf = (plural: string, by: string) => `/v1/records/${plural}/duplicates?by=${by}`;

/** Creates an organization, and returns its id with a client. */
async function createTestOrganization(): Promise<{ orgId: string; client: ApiClient }> {
  const { id: orgId } = await createOrganization(api.db.database, 'Alike');
  const scopes = ['records:read', 'records:write', 'records:delete'] as const;
  const { key } = await createApiKey(api.db.database, orgId, { name: 'test', kind: 'secret', scopes });
  return { orgId, client: apiClient(api.url, key) };
}

const create = async (client: ApiClient, plural: string, body: object): Promise<string> =>
  (await client('POST', `/v1/records/${plural}`, { body })).body.data.id;

const ada = { first_name: 'Ada', last_name: 'Lovelace', email: 'Ada@Robotics.example' };

describe('duplicates', () => {
  test('a group has the compared value, the number of records, and their ids, the oldest first', async () => {
    const { client } = await createTestOrganization();
    const ids: string[] = [];
    for (const email of ['Ada@Robotics.example', 'ada@robotics.example', 'ADA@robotics.EXAMPLE'])
      ids.push(await create(client, 'contacts', { ...ada, email }));
    await create(client, 'contacts', { ...ada, email: 'soren@northwind.example' });
    const { body } = await client('GET', pathOf('contacts', 'email'));
    expect(body).toEqual({ data: [{ value: 'ada@robotics.example', count: 3, ids }], has_more: false });
    await create(client, 'contacts', { ...ada, company: 'Kumo' });
    await create(client, 'contacts', { ...ada, first_name: 'ADA', company: 'KUMO' });
    expect((await client('GET', pathOf('contacts', 'name_company'))).body.data).toMatchObject([
      { value: 'ada, lovelace, kumo', count: 2 },
    ]);
  });

  test('no more than 20 ids are listed', async () => {
    const { client } = await createTestOrganization();
    const items = Array.from({ length: 23 }, () => ada);
    const { body } = await client('POST', '/v1/records/contacts/batch', { body: { operation: 'create', items } });
    const ids = body.data.map((each: { data: { id: string } }) => each.data.id);
    const [group] = (await client('GET', pathOf('contacts', 'email'))).body.data;
    expect(group).toEqual({ value: 'ada@robotics.example', count: 23, ids: ids.slice(0, 20) });
  });

  test('deleted and merged records are in no group, but restored records are', async () => {
    const { client } = await createTestOrganization();
    const ids = [await create(client, 'contacts', ada), await create(client, 'contacts', ada)];
    const find = async () => (await client('GET', pathOf('contacts', 'email'))).body.data;
    await client('DELETE', `/v1/records/contacts/${ids[1]}`);
    expect(await find()).toEqual([]);
    await client('POST', `/v1/trash/${ids[1]}/restore`);
    expect(await find()).toMatchObject([{ count: 2, ids }]);
    await client('POST', '/v1/records/contacts/merge', { body: { winner_id: ids[1], loser_ids: [ids[0]] } });
    expect(await find()).toEqual([]);
  });

  test('records of another organization are in no group', async () => {
    const [one, other] = [await createTestOrganization(), await createTestOrganization()];
    for (const { client } of [one, other]) await create(client, 'contacts', ada);
    for (const { client } of [one, other])
      expect((await client('GET', pathOf('contacts', 'email'))).body).toEqual({ data: [], has_more: false });
  });

  test('paging returns each unchanged group once while other groups change', async () => {
    const { client } = await createTestOrganization();
    const ids: string[] = [];
    for (let i = 0; i < 12; i++)
      for (let n = 0; n < 2; n++) ids.push(await create(client, 'contacts', { ...ada, email: `p${i}@example.com` }));
    // After each page, one group changes: the first four groups grow, and the next four lose a record.
    let turn = 0;
    const change = async () => {
      const at = turn++;
      if (at < 4) await create(client, 'contacts', { ...ada, email: `p${at}@example.com` });
      else if (at < 8) await client('DELETE', `/v1/records/contacts/${ids[2 * at]}`);
    };
    const found = await walk(client, pathOf('contacts', 'email'), () => 1, change);
    const values = found.map(({ value }) => value);
    expect(new Set(values).size).toBe(values.length);
    for (let i = 8; i < 12; i++) expect(values).toContain(`p${i}@example.com`);
  });
});

test('B7.7: exactly the groups of records with equal values are found, with pages of any size', async () => {
  const { orgId, client } = await createTestOrganization();
  for (const plural of ['accounts', 'contacts'] as const) {
    const rows = await insertAlike(api.db.database, orgId, plural, 300);
    for (const [by, textsOf] of Object.entries(comparisons[plural])) {
      const limitOf = () => 1 + Math.floor(Math.random() * 5);
      const found: Group[] = await walk(client, pathOf(plural, by), limitOf);
      expect({ by, groups: sorted(found) }).toEqual({ by, groups: groupsOf(rows, textsOf) });
      expect(await walk(client, pathOf(plural, by), () => 100), 'in the same order').toEqual(found);
    }
  }
});

test.each([
  ['https://WWW.Example.com:8080/x', 'example.com'],
  ['www.example.com.', 'example.com'],
  ['WWW.www.example.com', 'www.example.com'],
  ['https://user@example.com?a#b', 'user@example.com'],
  ['h2://example.com', 'h2'],
  ['äöü.example', 'äöü.example'],
  ['xn--4ca0bs.example', 'xn--4ca0bs.example'],
  [`${'a.'.repeat(1_000)}example`, `${'a.'.repeat(1_000)}example`],
  [' ', ' '],
  ['https://', undefined],
  ['www.', undefined],
  ['', undefined],
])('accounts with the domain %j are compared by %j', async (domain, value) => {
  const { client } = await createTestOrganization();
  for (let i = 0; i < 2; i++) await create(client, 'accounts', { account_name: `A ${i}`, domain });
  const found = (await client('GET', pathOf('accounts', 'domain'))).body.data as Group[];
  expect(found.map((group) => group.value)).toEqual(value === undefined ? [] : [value]);
});

describe('refused', () => {
  test.each([
    ['contacts', '', 'by required'],
    ['contacts', 'by=', 'by invalid_enum'],
    ['contacts', 'by=domain', 'by invalid_enum'],
    ['accounts', 'by=email', 'by invalid_enum'],
    ['contacts', 'by=email&by=crm_id', 'by conflicting_parameters'],
    ['contacts', 'by=email&by=email', 'by conflicting_parameters'],
    ['contacts', 'by=email&limit=0', 'limit out_of_range'],
    ['contacts', 'by=email&limit=101', 'limit out_of_range'],
    ['contacts', 'by=email&limit=', 'limit invalid_type'],
    ['contacts', 'by=email&limit=1&limit=2', 'limit conflicting_parameters'],
    ['contacts', 'by=email&offset=0', 'offset unknown_field'],
    ['contacts', 'by=email&email=x', 'email unknown_field'],
    ['contacts', 'by=email&cursor=', 'cursor invalid_cursor'],
    ['contacts', 'by=email&cursor=%00', 'cursor invalid_cursor'],
    ['contacts', `by=email&cursor=${'A'.repeat(1_025)}`, 'cursor invalid_cursor'],
    ['contacts', 'by=email&cursor=e30', 'cursor invalid_cursor'],
    ['opportunities', 'by=crm_id', 'by unknown_field'],
  ])('%s?%s', async (plural, query, problem) => {
    const { status, error } = await api.tenant.client('GET', `/v1/records/${plural}/duplicates?${query}`);
    expect([status, error.details?.map(({ field, code }) => `${field} ${code}`)]).toEqual([400, [problem]]);
  });

  test('a cursor of another comparison, kind or organization, or of a plain list: 400 invalid_cursor', async () => {
    const { client } = await createTestOrganization();
    for (const crm of ['a', 'b'])
      for (let i = 0; i < 2; i++) {
        const create = { first_name: 'A', last_name: crm, email: `${crm}@example.com` };
        const { body } = await client('POST', '/v1/records/contacts', { body: create });
        await client('POST', '/v1/records/contacts/upsert', {
          body: { match: { id: body.data.id }, set: { crm_id: crm } },
        });
      }
    const cursorOf = async (path: string) => (await client('GET', path)).body.next_cursor as string;
    const cursor = await cursorOf(`${pathOf('contacts', 'email')}&limit=1`);
    const ofList = await cursorOf('/v1/records/contacts?limit=1');
    const problemsOf = async (path: string, by = client) =>
      (await by('GET', path)).error?.details?.map(({ field, code }) => `${field} ${code}`);
    expect(await problemsOf(`${pathOf('contacts', 'email')}&cursor=${cursor}`)).toBeUndefined();
    for (const path of [
      `${pathOf('contacts', 'crm_id')}&cursor=${cursor}`,
      `${pathOf('accounts', 'crm_id')}&cursor=${cursor}`,
      `${pathOf('contacts', 'email')}&cursor=${ofList}`,
      `/v1/records/contacts?cursor=${cursor}`,
    ])
      expect(await problemsOf(path), path).toEqual(['cursor invalid_cursor']);
    const { error } = await client('GET', `${pathOf('contacts', 'crm_id')}&cursor=${cursor}`);
    expect(error.details![0]!.message).toContain('`by`');
    const other = await createTestOrganization();
    expect(await problemsOf(`${pathOf('contacts', 'email')}&cursor=${cursor}`, other.client)).toEqual([
      'cursor invalid_cursor',
    ]);
  });

  test.each(['9223372036854775808', '1e3', 'a\u0000', null, 5])('a made-up cursor at %j: 400', async (hash) => {
    const { client } = await createTestOrganization();
    for (const email of ['a@example.com', 'b@example.com'])
      for (let i = 0; i < 2; i++) await create(client, 'contacts', { ...ada, email });
    const { body } = await client('GET', `${pathOf('contacts', 'email')}&limit=1`);
    const [scope, id] = JSON.parse(Buffer.from(body.next_cursor as string, 'base64url').toString()) as string[];
    const cursor = Buffer.from(JSON.stringify([scope, id, hash])).toString('base64url');
    const { status, error } = await client('GET', `${pathOf('contacts', 'email')}&cursor=${cursor}`);
    expect([status, error.details?.map(({ code }) => code)]).toEqual([400, ['invalid_cursor']]);
  });

  test('while an index is missing, its comparison is refused with a list of comparisons that work', async () => {
    await api.db.owner.query(statement('', 'DROP INDEX contacts_by_name_company, accounts_by_normalized_domain'), []);
    await using replica = await api.startReplica();
    const client = apiClient(replica.url, api.tenant.key);
    for (const [path, allowed] of [
      [pathOf('contacts', 'name_company'), ['email', 'crm_id']],
      [pathOf('accounts', 'domain'), ['account_name', 'crm_id']],
    ] as const) {
      const { status, error } = await client('GET', path);
      expect(status).toBe(400);
      expect(error.details).toEqual([expect.objectContaining({ field: 'by', code: 'unsupported_filter', allowed })]);
    }
    expect((await client('GET', pathOf('contacts', 'email'))).status).toBe(200);
    await buildIndexes({ url: api.db.ownerUrl });
    await using next = await api.startReplica();
    expect((await apiClient(next.url, api.tenant.key)('GET', pathOf('accounts', 'domain'))).status).toBe(200);
  });
});
