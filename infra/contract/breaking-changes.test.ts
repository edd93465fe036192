import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { breakingChanges } from './breaking-changes.ts';
import type { Description } from './description.ts';

const description = JSON.parse(await readFile('docs/openapi.json', 'utf8')) as Description;

/** Edits a copy of the description, and returns the breaking changes that are found. */
function changesOf(change: (present: Description) => void): string[] {
  const present = structuredClone(description);
  change(present);
  return breakingChanges(description, present);
}

const account = ({ components }: Description) => components.schemas['Account']!;
const creating = ({ components }: Description) => components.schemas['AccountCreate']!;
const accounts = ({ paths }: Description) => paths['/v1/records/accounts']!;

test('a description has no breaking change compared with itself', () => {
  expect(changesOf(() => {})).toEqual([]);
});

test.each<[string, (present: Description) => unknown]>([
  ['/v1/self: removed', ({ paths }) => delete paths['/v1/self']],
  ['POST /v1/records/accounts: removed', (present) => delete accounts(present)['post']],
  [
    'GET /v1/records/accounts query count: removed',
    (present) => {
      const { parameters } = accounts(present)['get']!;
      parameters!.splice(
        parameters!.findIndex(({ name }) => name === 'count'),
        1,
      );
    },
  ],
  [
    'GET /v1/records/accounts query limit: now required',
    (present) => (accounts(present)['get']!.parameters![0]!.required = true),
  ],
  ['GET /v1/records/accounts 200: removed', (present) => delete accounts(present)['get']!.responses['200']],
  [
    'GET /v1/records/accounts 200 header RateLimit: removed',
    (present) => delete accounts(present)['get']!.responses['200']!.headers!['RateLimit'],
  ],
  [
    'POST /v1/records/accounts body application/json: removed',
    (present) => delete accounts(present)['post']!.requestBody!.content['application/json'],
  ],
  ['response Account.domain: removed', (present) => delete account(present).properties!['domain']],
  ['response Account.id: no longer always there', (present) => account(present).required!.shift()],
  [
    'response Account.city: now also null',
    (present) => (account(present).properties!['city']!.type = ['string', 'null']),
  ],
  ['request AccountCreate.domain: removed', (present) => delete creating(present).properties!['domain']],
  ['request AccountCreate.domain: now required', (present) => creating(present).required!.push('domain')],
  [
    'request AccountCreate.sales_status: no longer "working"',
    (present) => creating(present).properties!['sales_status']!.enum!.splice(1, 1),
  ],
  ['request AccountCreate.city: no longer null', (present) => (creating(present).properties!['city']!.type = 'string')],
  [
    'request AccountCreate.city: smaller maxLength',
    (present) => (creating(present).properties!['city']!.maxLength = 9),
  ],
  [
    'request AccountCreate.city: no longer any value',
    (present) => (creating(present).properties!['city']!.enum = ['Basel', null]),
  ],
  [
    'request AccountBatch with operation upsert: removed',
    ({ components }) => delete components.schemas['AccountBatch']!.discriminator!.mapping['upsert'],
  ],
  ['request ChatRequest: no longer other members', ({ components }) => close(components.schemas['ChatRequest']!)],
])('%s', (expected, change) => {
  expect(changesOf(change)).toEqual([expected]);
});

const close = (schema: { additionalProperties?: unknown }) => (schema.additionalProperties = false);

test('the removal of any member of any schema is reported', () => {
  for (const [name, { properties = {} }] of Object.entries(description.components.schemas)) {
    const changes = changesOf(({ components }) => (components.schemas[name]!.properties = {}));
    const missed = new Set(changes.map((change) => change.replace(/^\S+ /, '')));
    const members = Object.keys(properties).map((member) => `${name}.${member}: removed`);
    expect(members.filter((each) => !missed.has(each))).toEqual([]);
  }
});

test('a header that a shared response drops is reported for every operation that uses the response', () => {
  const changes = changesOf(({ components }) => delete components.responses!['rate_limited']!.headers!['Retry-After']);
  expect(changes).toContain('GET /v1/records/accounts 429 header Retry-After: removed');
  expect(changes).toContain('POST /v1/records/contacts 429 header Retry-After: removed');
});

test('additions are not breaking: paths, optional members and parameters, values, errors', () => {
  const changes = changesOf((present) => {
    present.paths['/v1/new'] = { get: { responses: {} } };
    accounts(present)['get']!.parameters!.push({ in: 'query', name: 'sort', schema: { type: 'string' } });
    accounts(present)['get']!.responses['410'] = {};
    for (const { properties } of [account(present), creating(present)]) {
      properties!['phone'] = { type: 'string' };
      properties!['sales_status']!.enum!.push('paused');
    }
  });
  expect(changes).toEqual([]);
});
