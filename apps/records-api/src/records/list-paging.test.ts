import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const ids: string[] = [];
const path = '/v1/records/accounts';

beforeAll(async () => {
  api = await startTestApi();
  ids.push(api.tenant.ids.account);
  for (let i = 0; i < 29; i++) ids.push(await create(i % 3 === 0 ? { domain: 'third.example' } : {}));
});
afterAll(() => api[Symbol.asyncDispose]());

interface Page {
  data: { id: string }[];
  total: number;
  total_relation?: string;
  limit: number;
  offset: number;
  has_more: boolean;
  next_cursor?: string;
}

async function create(fields: object = {}): Promise<string> {
  const body = { account_name: 'Robotics', ...fields };
  return (await api.tenant.client('POST', path, { body })).body.data.id;
}

const request = (query: string, client = api.tenant.client) => client('GET', `${path}?${query}`);
const list = async (query: string): Promise<Page> => (await request(query)).body;
const problemsOf = async (query: string) => {
  const { status, error } = await request(query);
  expect(status).toBe(400);
  return error.details!.map(({ field, code }) => `${field} ${code}`);
};

/** Reads all pages of a list by their cursors. */
async function readAll(query: string, visit: (page: Page, at: number) => Promise<void> | void = () => {}) {
  const read: string[] = [];
  let cursor = '';
  for (let at = 0; ; at++) {
    const page = await list(`${query}${cursor}`);
    await visit(page, at);
    read.push(...page.data.map(({ id }) => id));
    expect(page.has_more).toBe(page.next_cursor !== undefined);
    if (page.next_cursor === undefined) return read;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

describe('cursor', () => {
  test.each([
    ['limit=7', () => ids],
    ['limit=7&sort=id', () => ids],
    ['limit=7&sort=-id', () => ids.toReversed()],
    ['limit=30&sort=-id', () => ids.toReversed()],
    ['limit=29', () => ids],
    ['limit=4&domain=THIRD.example', () => ids.filter((_, i) => i % 3 === 1)],
    ['limit=4&domain=third.example&sort=-id', () => ids.filter((_, i) => i % 3 === 1).toReversed()],
    ['limit=7&count=none', () => ids],
    ['limit=7&count=none&sort=-id&domain=third.example', () => ids.filter((_, i) => i % 3 === 1).toReversed()],
  ])('%s: the pages together are the list', async (query, expected) => {
    expect(await readAll(query)).toEqual(expected());
  });

  test('every page has the exact total, and the offset 0', async () => {
    await readAll('limit=7', ({ total, total_relation, offset, limit }) =>
      expect({ total, total_relation, offset, limit }).toEqual({ total: 30, offset: 0, limit: 7 }),
    );
    await readAll('limit=4&domain=third.example', ({ total }) => expect(total).toBe(10));
  });

  test('records that exist throughout are returned exactly once during concurrent creates (acceptance B4.2)', async () => {
    const created: string[] = [];
    const read = await readAll('limit=5&sort=-id', async () => void created.push(await create()));
    expect(read).toEqual(ids.toReversed());
    const ascending = await readAll('limit=5', async (_page, at) => void (at < 3 && created.push(await create())));
    expect(ascending).toEqual([...ids, ...created]);
    ids.push(...created);
  });

  test('continues after a page read by offset, and limit and count may change', async () => {
    const { next_cursor } = await list('limit=3&offset=4');
    const next = await list(`limit=2&count=none&cursor=${next_cursor}`);
    expect(next.data.map(({ id }) => id)).toEqual(ids.slice(7, 9));
  });

  test('belongs to its organization, list, filters and order', async () => {
    const { next_cursor: cursor } = await list('limit=3');
    const { next_cursor: filtered } = await list('limit=3&domain=third.example');
    const bare = await api.other.client('GET', `${path}?cursor=${cursor}`);
    expect(bare.error.details).toMatchObject([{ field: 'cursor', code: 'invalid_cursor' }]);
    const other = await api.tenant.client('GET', `/v1/records/contacts?cursor=${cursor}`);
    expect(other.error.details).toMatchObject([{ field: 'cursor', code: 'invalid_cursor' }]);
    for (const query of [
      `sort=-id&cursor=${cursor}`,
      `domain=third.example&cursor=${cursor}`,
      `cursor=${filtered}`,
      `domain=other.example&cursor=${filtered}`,
    ])
      expect(await problemsOf(query)).toEqual(['cursor invalid_cursor']);
    expect((await request(`sort=id&cursor=${cursor}`)).status).toBe(200);
  });

  test.each(['', 'x', '%00', 'null', '"', 'a'.repeat(1_025), Buffer.from('[]').toString('base64url'), '%F0%9F%A6%BE'])(
    'refuses a value that is not a cursor: %j',
    async (cursor) => expect(await problemsOf(`cursor=${cursor}`)).toEqual(['cursor invalid_cursor']),
  );
});

describe('sort and offset', () => {
  test.each([
    ['sort=-id&limit=5', [0, 5]],
    ['sort=-id&limit=5&offset=3', [3, 8]],
    ['sort=-id&limit=5&offset=28', [28, 33]],
    ['sort=-id&offset=10000', [10_000, 10_025]],
  ])('%s', async (query, [from, to]) => {
    const page = await list(query);
    expect(page.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(from, to));
    expect(page).toMatchObject({ total: ids.length, has_more: to! < ids.length });
  });

  test('activities, stages and users have the same parameters', async () => {
    for (const each of ['/v1/activities/custom', '/v1/records/stages', '/v1/records/users']) {
      const { status, body } = await api.tenant.client('GET', `${each}?sort=-id&count=none&limit=1`);
      expect(status).toBe(200);
      expect(body.total_relation).toBe('gte');
    }
  });
});

describe('count=none', () => {
  test('gives a lower bound', async () => {
    const first = await list('count=none&limit=5');
    expect(first).toMatchObject({ total: 6, total_relation: 'gte', has_more: true });
    expect(await list('count=none&limit=5&offset=10')).toMatchObject({ total: 16, offset: 10 });
    expect(await list(`count=none&limit=5&cursor=${first.next_cursor}`)).toMatchObject({ total: 6, offset: 0 });
    expect(await list('count=none&limit=100')).toMatchObject({ total: ids.length, has_more: false });
    expect(await list('count=none&limit=5&offset=9000')).toMatchObject({ data: [], total: 9_000, has_more: false });
  });

  test('count=exact counts', async () => {
    const page = await list('count=exact&limit=5');
    expect(page).toMatchObject({ total: ids.length });
    expect(page).not.toHaveProperty('total_relation');
  });
});

describe('refused', () => {
  test.each([
    ['sort=', ['sort unsupported_sort']],
    ['sort=domain', ['sort unsupported_sort']],
    ['sort=id,-id', ['sort unsupported_sort']],
    ['sort=ID', ['sort unsupported_sort']],
    ['sort=id&sort=-id', ['sort conflicting_parameters']],
    ['sort=id&limit=1&limit=2', ['limit conflicting_parameters']],
    ['sort=id&domain=a&domain=b', ['domain conflicting_parameters']],
    ['sort=id&colour=a&colour=b', ['colour unknown_field']],
    ['count=', ['count invalid_enum']],
    ['count=all', ['count invalid_enum']],
    ['sort=-id&offset=10001', ['offset out_of_range']],
    ['count=none&offset=99999999999999999999', ['offset out_of_range']],
    ['sort=-id&offset=x', ['offset invalid_type']],
    [
      'sort=x&count=x&limit=0&colour=red',
      ['limit out_of_range', 'count invalid_enum', 'colour unknown_field', 'sort unsupported_sort'],
    ],
  ])('%s', async (query, problems) => {
    expect((await problemsOf(query)).toSorted()).toEqual(problems.toSorted());
  });

  test.each(['offset=0', 'offset=', 'offset=5'])('a cursor with %s', async (offset) => {
    const { next_cursor } = await list('limit=3');
    expect(await problemsOf(`${offset}&cursor=${next_cursor}`)).toEqual(['offset conflicting_parameters']);
  });

  test('an unknown sort is refused with an error that lists the sorts that work (acceptance B4.5)', async () => {
    const { error } = await request('sort=domain');
    expect(error.details).toMatchObject([
      {
        allowed: ['id', '-id', 'account_name', '-account_name', 'created_at', '-created_at'],
      },
    ]);
  });
});

test('without paging parameters, a response is the same as before except for the cursor (acceptance B4.5)', async () => {
  const page = await list('limit=2&offset=10001');
  expect(Object.keys(page)).toEqual(['data', 'total', 'limit', 'offset', 'has_more']);
  expect(Object.keys(await list('limit=2'))).toEqual(['data', 'total', 'limit', 'offset', 'has_more', 'next_cursor']);
  expect(await problemsOf('limit=1&limit=2')).toEqual(['limit invalid_type']);
});

test('pages that end early because of their size continue by their cursor', async () => {
  const content = 'x'.repeat(90_000);
  const created: string[] = [];
  for (let i = 0; i < 16; i++)
    created.push((await api.tenant.client('POST', '/v1/activities/custom', { body: { content } })).body.data.id);
  const read: string[] = [];
  let query = 'sort=-id&limit=100';
  for (;;) {
    const { body } = await api.tenant.client('GET', `/v1/activities/custom?${query}`);
    read.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.has_more) break;
    expect(body.data.length).toBeLessThan(16);
    query = `sort=-id&limit=100&cursor=${body.next_cursor}`;
  }
  expect(read.slice(0, 16)).toEqual(created.toReversed());
  expect(new Set(read).size).toBe(read.length);
  expect(newId() > read[0]!).toBe(true);
});
