import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const paths = {
  accounts: '/v1/records/accounts',
  contacts: '/v1/records/contacts',
  opportunities: '/v1/records/opportunities',
  activities: '/v1/activities/custom',
  users: '/v1/records/users',
};

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

type List = keyof typeof paths;
type Parameters = readonly (readonly [name: string, value: string])[];

const request = (list: List, parameters: Parameters, client = api.tenant.client) =>
  client('GET', `${paths[list]}?${new URLSearchParams(parameters.map((each) => [...each])).toString()}`);
const create = async (list: List, body: object, client = api.tenant.client): Promise<string> =>
  (await client('POST', paths[list], { body })).body.data.id;
const idsOf = async (list: List, parameters: Parameters): Promise<string[]> => {
  const { body, text } = await request(list, parameters);
  if (!body?.data) throw new Error(text);
  return body.data.map(({ id }: { id: string }) => id);
};
const problemsOf = async (list: List, parameters: Parameters) => {
  const { status, error } = await request(list, parameters);
  return [status, ...(error.details ?? []).map(({ field, code }) => `${field} ${code}`)];
};

describe('values', () => {
  const hostile = [
    'a,b',
    "O'Brien",
    '%',
    '_',
    'back\\slash',
    '"quoted"',
    '🦾 arm',
    '[in]',
    'x'.repeat(255),
    '$1',
    '--',
  ];

  test.each(hostile)('%j matches only itself (acceptance B4.4)', async (name) => {
    const id = await create('contacts', { first_name: 'A', last_name: name, tags: [name.slice(0, 100)] });
    const other = await create('contacts', {
      first_name: 'A',
      last_name: name.replace(/^./u, 'z'),
      tags: ['other'],
    });
    for (const parameters of [
      [['last_name', name]],
      [['last_name', name.toUpperCase()]],
      [['last_name[prefix]', name.slice(0, 100)]],
      [['tags[any]', name.slice(0, 100)]],
      [
        ['tags[all]', name.slice(0, 100)],
        ['id[in]', id],
        ['id[in]', other],
      ],
    ] satisfies Parameters[])
      expect(await idsOf('contacts', parameters), JSON.stringify(parameters)).toEqual([id]);
  });

  test('many records are found with one request, and unknown values are ignored (acceptance B4.12)', async () => {
    const known = Array.from({ length: 50 }, (_, i) => `known-${i}`);
    const ids: string[] = [];
    for (const name of known) ids.push(await create('accounts', { account_name: name, domain: `${name}.example` }));
    const contacts: string[] = [];
    for (const name of known)
      contacts.push(await create('contacts', { first_name: 'A', last_name: 'B', email: `${name}@x.example` }));
    const both = (name: string, of: (each: string) => string): Parameters =>
      [...known, ...known.map((each) => `un${each}`)].map((each) => [name, of(each)] as const);
    const all = [['limit', '100']] as const;
    expect(await idsOf('accounts', [...all, ...both('domain[in]', (each) => `${each}.EXAMPLE`)])).toEqual(ids);
    expect(await idsOf('contacts', [...all, ...both('email[in]', (each) => `${each}@X.example`)])).toEqual(contacts);
    const mixed = ids.flatMap((id) => [id.toUpperCase(), crypto.randomUUID()]);
    expect(await idsOf('accounts', [...all, ...mixed.map((id) => ['id[in]', id] as const)])).toEqual(ids);
    expect(
      await problemsOf(
        'accounts',
        [...mixed, ids[0]!].map((id) => ['id[in]', id] as const),
      ),
    ).toEqual([400, 'id[in] too_many']);
  });

  test('another organization has none of them', async () => {
    const account = await create('accounts', { account_name: 'Theirs', tags: ['theirs'] }, api.other.client);
    for (const parameters of [
      [['id[in]', account]],
      [['tags[any]', 'theirs']],
      [['account_name', 'Theirs']],
      [['q', 'theirs']],
    ] satisfies Parameters[])
      expect(await idsOf('accounts', parameters)).toEqual([]);
  });
});

describe('tags', () => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const parametersOf = (name: string, values: readonly string[]): Parameters => values.map((each) => [name, each]);

  test('find the records with all of them, or with at least one of them, for any number of tags', async () => {
    const ids: string[] = [];
    // The i-th record has the first i letters as tags.
    for (const i of letters.keys()) {
      const tags = letters.slice(0, i + 1).map((each) => `tag ${each}`);
      ids.push(await create('contacts', { first_name: 'A', last_name: `Tagged ${letters[i]}`, tags }));
    }
    for (const i of letters.keys()) {
      const first = letters.slice(0, i + 1).map((each) => `tag ${each}`);
      const all = [...parametersOf('tags[all]', first), ...parametersOf('tags[all]', first.slice(0, 1))];
      expect(await idsOf('contacts', all), `all of ${first.join()}`).toEqual(ids.slice(i));
      expect(await idsOf('contacts', [...all, ['sort', '-last_name']])).toEqual(ids.slice(i).toReversed());
      const any = [...parametersOf('tags[any]', [...first.slice(i), 'tag f', 'tag none'])];
      expect(await idsOf('contacts', any), `any of ${any.join()}`).toEqual(ids.slice(i));
      expect(await idsOf('contacts', [...any, ['sort', '-id']])).toEqual(ids.slice(i).toReversed());
      expect(await idsOf('contacts', [...any, ['last_name', 'Tagged f']])).toEqual(ids.slice(-1));
    }
    expect(await idsOf('contacts', parametersOf('tags[all]', ['tag a', 'tag none']))).toEqual([]);
  });

  test('follow changes of a record, its delete and its restore', async () => {
    const { client } = api.tenant;
    const id = await create('accounts', { account_name: 'Changing', tags: ['before', 'kept'] });
    const found = () => Promise.all(['before', 'kept', 'after'].map((tag) => idsOf('accounts', [['tags[any]', tag]])));
    expect(await found()).toEqual([[id], [id], []]);
    await client('PATCH', `${paths.accounts}/${id}`, { body: { tags: ['kept', 'after'] } });
    expect(await found()).toEqual([[], [id], [id]]);
    await client('DELETE', `${paths.accounts}/${id}`);
    expect(await found()).toEqual([[], [], []]);
    await client('POST', `/v1/trash/${id}/restore`);
    expect(await found()).toEqual([[], [id], [id]]);
  });
});

describe('links', () => {
  test('find the records that have one of them', async () => {
    const contact = await create('contacts', { first_name: 'A', last_name: 'Linked' });
    const { account, user } = api.tenant.ids;
    const sale = await create('opportunities', { opportunity_name: 'S', account_id: account, contact_ids: [contact] });
    const activity = await create('activities', {
      content: 'x',
      contact_ids: [contact],
      source: 'Fair-App',
      owner_id: user,
    });
    expect(await idsOf('opportunities', [['contact_id', contact]])).toEqual([sale]);
    expect(
      await idsOf('activities', [
        ['contact_id[in]', contact],
        ['contact_id[in]', crypto.randomUUID()],
      ]),
    ).toEqual([activity]);
    expect(
      await idsOf('activities', [
        ['contact_id', contact],
        ['source', 'fair-app'],
        ['owner_id', user],
      ]),
    ).toEqual([activity]);
    expect(
      await idsOf('activities', [
        ['contact_id', contact],
        ['owner_id[exists]', 'false'],
      ]),
    ).toEqual([]);
  });
});

describe('q', () => {
  test.each([
    ['exam robo', true],
    ['ROBOTICS', true],
    ['ada@robotics.example', true],
    ['ada lovelace exam', true],
    ['obotics', false],
    ['ada babbage', false],
    [`ada ${'x'.repeat(2_044)}`, false],
  ])('%j finds Ada: %s', async (q, isFound) => {
    const id = await create('contacts', { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@robotics.example' });
    expect(
      (
        await idsOf('contacts', [
          ['q', q],
          ['id[in]', id],
        ])
      ).length,
    ).toBe(isFound ? 1 : 0);
  });
});

describe('refused', () => {
  const id = crypto.randomUUID();
  test.each<[List, Parameters, string[]]>([
    ['contacts', [['owner_id[in]', '']], ['owner_id[in] invalid_format']],
    ['contacts', [['owner_id[exists]', '']], ['owner_id[exists] invalid_enum']],
    ['contacts', [['owner_id[exists]', 'yes']], ['owner_id[exists] invalid_enum']],
    ['contacts', [['last_name', '']], ['last_name too_short']],
    ['contacts', [['last_name[prefix]', '']], ['last_name[prefix] too_short']],
    ['contacts', [['last_name[prefix]', 'x'.repeat(101)]], ['last_name[prefix] too_long']],
    ['contacts', [['tags[any]', '']], ['tags[any] too_short']],
    ['contacts', [['created_at[gte]', '']], ['created_at[gte] invalid_format']],
    ['contacts', [['created_at[gte]', 'yesterday']], ['created_at[gte] invalid_format']],
    ['contacts', [['q', '']], ['q too_short']],
    ['contacts', [['q', 'acme a']], ['q too_short']],
    ['contacts', [['q', '@ --']], ['q too_short']],
    ['contacts', [['q', 'ab cd ef gh ij kl']], ['q too_many']],
    ['contacts', [['q', 'x'.repeat(2_049)]], ['q too_long']],
    ['contacts', [['last_name', 'a\0b']], ['last_name invalid_format']],
    ['contacts', [['email[ne]', 'x']], ['email[ne] unknown_field']],
    ['contacts', [['tags', 'vip']], ['tags unknown_field']],
    ['opportunities', [['amount[gt]', '']], ['amount[gt] invalid_format']],
    ['opportunities', [['amount[gt]', '1e3']], ['amount[gt] invalid_format']],
    ['opportunities', [['amount[gt]', '0.00001']], ['amount[gt] out_of_range']],
    ['opportunities', [['amount', '1']], ['amount unknown_field']],
    ['opportunities', [['amount[gte]', '9'.repeat(400)]], ['amount[gte] out_of_range']],
    ['accounts', [['sales_status', '']], ['sales_status invalid_enum']],
    ['accounts', [['sales_status[in]', '']], ['sales_status[in] invalid_enum']],
    [
      'accounts',
      [
        ['sales_status[in]', 'lead'],
        ['sales_status[in]', 'x'],
      ],
      ['sales_status[in] invalid_enum'],
    ],
    [
      'accounts',
      [
        ['owner_id', id],
        ['owner_id', id],
      ],
      ['owner_id conflicting_parameters'],
    ],
    [
      'accounts',
      [
        ['domain', 'a'],
        ['domain', 'b'],
      ],
      ['domain invalid_type'],
    ],
    [
      'accounts',
      [
        ['domain', 'a'],
        ['domain', 'b'],
        ['owner_id', id],
      ],
      ['domain conflicting_parameters'],
    ],
    [
      'accounts',
      [
        ['owner_id', id],
        ['offset', '10001'],
      ],
      ['offset out_of_range'],
    ],
    ['users', [['sort', 'email']], ['sort unsupported_sort']],
    ['users', [['q', 'ada']], ['q unknown_field']],
    ['activities', [['tags[any]', 'x']], ['tags[any] unknown_field']],
  ])('%s with %j', async (list, parameters, problems) => {
    expect(await problemsOf(list, parameters)).toEqual([400, ...problems]);
  });

  test.each<[List, string, string]>([
    ['opportunities', 'amount', 'amount[gte]'],
    ['contacts', 'tags', 'tags[any]'],
    ['contacts', 'created_at', 'created_at[gte]'],
    ['contacts', 'last_nam', 'last_name'],
  ])('%s: suggests for %s the filter %s', async (list, name, suggestion) => {
    expect((await request(list, [[name, '5']])).error.details).toMatchObject([{ field: name, suggestion }]);
  });

  test('the ninth condition', async () => {
    const eight: Parameters = [
      ['domain', 'a'],
      ['domain[in]', 'a'],
      ['account_name', 'a'],
      ['sales_status', 'lead'],
      ['owner_id', id],
      ['crm_id', 'a'],
      ['tags[any]', 'a'],
      ['tags[any]', 'b'],
      ['q', 'acme'],
    ];
    expect((await request('accounts', eight)).status).toBe(200);
    expect(await problemsOf('accounts', [...eight, ['created_at[gt]', '2026-01-01']])).toEqual([
      400,
      'created_at[gt] too_many',
    ]);
  });
});
