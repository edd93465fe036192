import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildIndexes } from '@relata/records';
import type { apiClient } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createListed, type Variables } from './listed-records.harness.ts';
import { patternOf, withoutSpace } from './shown-response.harness.ts';

const run = promisify(execFile);
const page = await readFile(new URL('../../../../docs/lists.md', import.meta.url), 'utf8');

interface Recipe {
  heading: string;
  command: string;
  /** The response below the command; empty if the page shows none. */
  shown: string;
}

const recipes = page.split(/^#{2,3} /m).flatMap((section): Recipe[] => {
  const [heading = ''] = section.split('\n');
  const blocks = [...section.matchAll(/^```\n(curl [^]*?)\n```/gm)];
  return blocks.map(([, block = '']) => {
    const [command = '', shown = ''] = block.split(/(?<!\\)\n([^]*)/);
    return { heading, command, shown };
  });
});

const small = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => `Deal ${from - at}`);

/** Names of the records that the recipes find, by heading, in the order of the page. */
const found: Record<string, readonly (readonly string[])[]> = {
  'The ten largest open deals of a user, with their accounts': [
    ['grace@acme.example'],
    ['Qualified', 'Proposal', 'Won', 'Lost'],
    ['Forty arms for the new line', 'Spare parts', ...small(10, 3)],
  ],
  'Open deals above an amount': [['Forty arms for the new line', 'Spare parts']],
  'Deals by close date': [['Won', 'Forty arms for the new line']],
  'Sums of the pipeline': [['Qualified', 'Proposal']],
  'Contacts of an account': [['Lovelace', 'Zhang'], ['Met Ada.']],
  'Find a contact by email address': [['Lovelace']],
  'Many records at once': [['Lovelace', 'Holm']],
  'Full-text search': [['Example Robotics']],
  'Filter by tags': [['Lovelace', 'Holm'], ['Holm']],
  'Find duplicates': [['northwind.example']],
  'Created since': [['Kumo Logistics']],
  'Changed since': [
    ['Northwind Bakery', 'Kumo Logistics'],
    ['Kumo Logistics', 'Northwind Bakery'],
  ],
  'All pages': [['Holm', 'Lovelace'], ['Zhang']],
  'Count records': [[expect.any(String)]],
  'Related records and fields': [['Forty arms for the new line']],
  Errors: [[]],
};

type Found = Record<string, string> & { record?: Found; stage?: Found };

const nameOf = ({ record, stage, ...found }: Found): string => {
  const { opportunity_name, account_name, last_name, content, name, email, value, id } = record ?? {
    ...found,
    ...stage,
  };
  return opportunity_name ?? account_name ?? last_name ?? content ?? name ?? email ?? value ?? id!;
};

const stack = new AsyncDisposableStack();
let api: TestApi;
let variables: Variables & { CURSOR?: string; HOME: string };
let withoutIndex: Awaited<ReturnType<ReturnType<typeof apiClient>>>;

beforeAll(async () => {
  const HOME = await mkdtemp(join(tmpdir(), 'relata-lists-'));
  stack.defer(() => rm(HOME, { recursive: true }));
  // Makes curl write the status after the body.
  await writeFile(join(HOME, '.curlrc'), String.raw`write-out = "\n%{http_code}"`);
  api = stack.use(await startTestApi());
  withoutIndex = await api.tenant.client('GET', '/v1/records/accounts?sort=updated_at');
  await buildIndexes({ url: api.db.ownerUrl, names: ['accounts.updated_at'] });
  // A new replica is started, since the first may not have noticed the new index yet.
  const { url } = stack.use(await api.startReplica());
  variables = { ...(await createListed(api.db.database, url)), HOME };
});
afterAll(() => stack.disposeAsync());

test('every recipe of the page has a test that knows what it finds', () => {
  const counts = Object.entries(found).map(([heading, each]) => [heading, each.length]);
  expect([...Map.groupBy(recipes, ({ heading }) => heading)].map(([heading, each]) => [heading, each.length])).toEqual(
    counts,
  );
});

const cases = Object.entries(Object.groupBy(recipes, ({ heading }) => heading)).flatMap(([heading, each = []]) =>
  each.map((recipe, at) => ({ ...recipe, at, names: found[heading]?.[at] })),
);

test.each(cases)('$heading: recipe $at finds what the page says', async ({ command, shown, names }) => {
  const env = { PATH: process.env['PATH'], ...variables };
  const { stdout } = await run('sh', ['-c', command], { env, timeout: 60_000 });
  const [, text = '', status] = /^([^]*)\n(\d+)$/.exec(stdout)!;
  const body = JSON.parse(text) as { data?: Found[]; next_cursor?: string };
  expect([status, (body.data ?? []).map(nameOf)]).toEqual([shown.includes('"error"') ? '400' : '200', names]);
  expect(withoutSpace(JSON.stringify(body))).toMatch(patternOf(shown || '…'));
  if (body.next_cursor !== undefined) variables.CURSOR = body.next_cursor;
});

test('a sort by updated_at is refused without its index, and the page says how to create it', () => {
  expect(withoutIndex.error.details).toEqual([
    expect.objectContaining({ field: 'sort', code: 'unsupported_sort', allowed: expect.any(Array) }),
  ]);
  expect(page).toContain('npx relata indexes create accounts.updated_at');
});

const repeated = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}=${at}`).join('&');
const eight =
  'amount[gt]=1&amount[gte]=1&amount[lt]=9&amount[lte]=9&amount[exists]=true&tags[any]=a&tags[all]=a&stage_id[exists]=true';

test.each([
  ['8 filters', eight, `${eight}&close_date[exists]=true`, 'too_many'],
  ['100 values', repeated('crm_id[in]', 100), repeated('crm_id[in]', 101), 'too_many'],
  ['an offset of 10,000', 'sort=amount&offset=10000', 'sort=amount&offset=10001', 'out_of_range'],
  ['5 words', 'q=a1 b2 c3 d4 e5', 'q=a1 b2 c3 d4 e5 f6', 'too_many'],
])('a list accepts %s as the page says, and not more', async (_what, accepted, refused, code) => {
  const list = (query: string) => api.tenant.client('GET', `/v1/records/opportunities?${encodeURI(query)}`);
  expect((await list(accepted)).status).toBe(200);
  const { status, error } = await list(refused);
  expect([status, error.details?.map((each: { code: string }) => each.code)]).toEqual([400, [code]]);
});
