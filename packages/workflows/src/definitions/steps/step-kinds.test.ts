import { describe, expect, test } from 'vitest';
import { definitionWarnings } from '../checks/definition-warnings.ts';
import { faultLines, exampleWorkflow } from '../definition.harness.ts';
import type { Definition } from '../definition.ts';
import type { StepExample } from './step-kind.ts';
import { outlineSteps } from '../step-outline.ts';
import { stepKinds } from './step-kinds.ts';

const uuid = '019a1b2c-0000-7000-8000-000000000001';
const lines = (use: string, input: unknown) => faultLines(exampleWorkflow([{ use, with: input }]));

test('every kind of step of the contract exists', () => {
  const records = ['account', 'contact', 'opportunity'];
  const verbs = ['create', 'update', 'upsert', 'delete', 'find'];
  expect(stepKinds.map(({ use }) => use).toSorted()).toEqual(
    records
      .flatMap((record) => verbs.map((verb) => `${record}.${verb}`))
      .concat('activity.create', 'http.request', 'channel.post', 'delay', 'for_each')
      .toSorted(),
  );
});

test('retry and timeout are accepted for every kind of step, with a warning unless it calls another system', () => {
  for (const { use, executor, example } of stepKinds) {
    const definition = exampleWorkflow([{ use, ...withIds(example), retry: { max_attempts: 3 }, timeout: '5s' }]);
    expect(faultLines(definition), use).toEqual([]);
    const warnings = definitionWarnings({ inputs: {}, ...definition } as Definition);
    const paths = executor === 'network' ? [] : ['steps[0].retry', 'steps[0].timeout'];
    expect(
      warnings.map(({ path }) => path),
      use,
    ).toEqual(paths);
    expect(outlineSteps(definition)[0]!.maxAttempts, use).toBe(executor === 'network' ? 3 : 1);
  }
});

test.each([
  ['a URL with a password', { url: 'https://ada:secret@hooks.example/a' }, 'with.url', /user name or a password/],
  ['a header of the service', { headers: { 'Accept-Encoding': 'br' } }, 'with.headers', /sets this header itself/],
  [
    'too many bytes of headers',
    { headers: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'x'.repeat(3_500)])) },
    'with.headers',
    /larger than 16384 bytes/,
  ],
])('%s is accepted with a warning, since stored definitions may have it', (_what, input, place, message) => {
  const ordinary = { method: 'GET', url: 'https://hooks.example/a@b?c=d@e', headers: { Accept: 'text/plain' } };
  const warningsOf = (given: object) => {
    const definition = exampleWorkflow([{ use: 'http.request', with: { ...ordinary, ...given } }]);
    expect(faultLines(definition)).toEqual([]);
    return definitionWarnings({ inputs: {}, ...definition } as Definition);
  };
  expect(warningsOf({})).toEqual([]);
  const [warning, ...others] = warningsOf(input);
  expect([warning?.path.includes(place), others]).toEqual([true, []]);
  expect(warning?.message).toMatch(message);
});

test('the example of every kind of step has no fault and no warning', () => {
  for (const { use, example } of stepKinds) {
    const definition = exampleWorkflow([{ use, ...withIds(example) }]);
    expect(faultLines(definition), use).toEqual([]);
    expect(definitionWarnings({ inputs: {}, ...definition } as Definition), use).toEqual([]);
  }
});

const withIds = ({ steps, ...example }: StepExample): object => ({
  ...example,
  ...(steps && { steps: steps.map((step, at) => ({ id: `inner${at}`, ...step })) }),
});

describe('accepted', () => {
  test.for<[string, unknown]>([
    [
      'account.create',
      { set: { account_name: 'A', domain: null, crm_id: 'crm-1', tags: ['${{ payload.tag }}', 'b'] } },
    ],
    ['account.create', { set: '${{ payload.account }}' }],
    ['account.update', { id: '${{ payload.id }}', set: { account_name: '${{ payload.name }}' } }],
    ['account.upsert', { match: { domain: 'a.example', account_name: 'A' }, set: {} }],
    ['account.upsert', { match: '${{ payload.match }}' }],
    [
      'contact.upsert',
      {
        match: { email: '${{ payload.email }}' },
        create: { first_name: '${{ payload.first }}', title: 'a' },
        fill: { company: '${{ payload.company }}', crm_id: 'crm-1' },
        add: { tags: ['customer', '${{ payload.plan }}'] },
        set: { title: 'b' },
        on_several: 'oldest',
      },
    ],
    [
      'contact.upsert',
      { match: { crm_id: 'x' }, create: '${{ payload.a }}', fill: '${{ payload.b }}', add: '${{ payload.c }}' },
    ],
    ['contact.update', { id: uuid, fill: { city: 'Bern' } }],
    ['contact.update', { id: uuid, add: { tags: '${{ payload.tags }}' } }],
    ['account.delete', { id: uuid, cascade: true }],
    ['contact.delete', { id: '${{ payload.id }}', cascade: '${{ payload.all }}' }],
    ['account.find', { match: { id: uuid } }],
    ['contact.find', { match: { email: 'a@b.example' } }],
    ['contact.find', { match: { crm_id: '${{ payload.id }}' } }],
    [
      'opportunity.create',
      { set: { opportunity_name: 'O', account_id: '${{ payload.id }}', amount: '${{ payload.n }}' } },
    ],
    ['opportunity.update', { id: uuid, set: { close_date: null, amount: 12.5 } }],
    ['activity.create', { content: 'x', date_time: '${{ payload.at }}', contact_ids: '${{ payload.ids }}' }],
    ['http.request', { method: '${{ payload.m }}', url: '${{ payload.url }}', headers: '${{ payload.h }}' }],
    [
      'http.request',
      {
        method: 'GET',
        url: 'https://a.example:8443/${{ payload.id }}?q=${{ payload.q }}#${{ payload.f }}',
        headers: { Authorization: 'Bearer ${{ payload.t }}' },
      },
    ],
    ['http.request', { method: 'GET', url: 'https://a.example?q=${{ payload.q }}' }],
    ['http.request', { method: 'GET', url: "${{ 'https://a.example/' + urlEncode(payload.id) }}" }],
    ['http.request', { method: 'POST', url: 'http://a.example', json: null }],
    ['http.request', { method: 'PUT', url: 'http://a.example', body: 'x=${{ payload.n }}' }],
    ['channel.post', { text: '${{ payload.n }}' }],
    ['delay', { for: '365d' }],
    ['delay', { for: '31536000000ms' }],
    ['delay', { for: '${{ payload.wait }}' }],
    ['delay', { until: '2026-12-31T17:00:00+01:00' }],
    ['delay', { until: '${{ timestamp(payload.at) + duration("1h") }}' }],
  ])('the step %s with %j is accepted', ([use, input]) => {
    expect(lines(use, input)).toEqual([]);
  });
});

describe('refused', () => {
  test.for<[string, unknown, string]>([
    ['account.create', { set: { domain: 'a' } }, 'with.set.account_name: Is required.'],
    ['account.create', { set: { account_name: null } }, 'with.set.account_name: Must not be null.'],
    ['account.create', { set: { account_name: 'A', created_at: 'x' } }, 'with.set.created_at: Unknown key created_at.'],
    ['account.create', { set: { account_name: 'A', sales_status: 'led' } }, 'Did you mean lead?'],
    ['account.create', { set: 'x' }, 'with.set: Must be an object.'],
    ['account.create', '${{ payload }}', 'with: Must be an object.'],
    ['account.update', { id: 'x', set: { city: 'Bern' } }, 'with.id: Must be a UUID.'],
    ['account.update', { set: { city: 'Bern' } }, 'with.id: Is required.'],
    ['account.update', { id: uuid, set: {} }, 'with.set: Must have at least one of:'],
    ['account.update', { id: uuid }, 'with: Must have `set`, `fill` or `add`.'],
    [
      'account.update',
      { id: uuid, create: { city: 'Bern' }, set: { city: 'Bern' } },
      'with.create: Unknown key create.',
    ],
    [
      'account.upsert',
      { match: { domain: 'a' }, fill: { city: 'a', state: 'a' }, set: { city: '${{ payload.x }}', state: null } },
      'with: fill.city: Must be in `fill` or `set`, not in both.\nfill.state: Must be in',
    ],
    [
      'account.update',
      { id: uuid, add: { tags: ['a'] }, fill: { tags: ['b'] } },
      'Must be in `add` or `fill`, not in both.',
    ],
    ['account.upsert', { match: { domain: 'a' }, add: { city: 'a' } }, 'with.add.city: Unknown key city.'],
    ['account.upsert', { match: { domain: 'a' }, add: { tags: 'a' } }, 'with.add.tags: Must be an array.'],
    ['account.upsert', { match: { domain: 'a' }, fill: { sales_status: 'led' } }, 'Did you mean lead?'],
    [
      'account.upsert',
      { match: { domain: 'a' }, on_several: '${{ payload.x }}' },
      'with.on_several: Must be one of: fail',
    ],
    ['account.delete', { id: uuid, cascade: 'yes' }, 'with.cascade: Must be a boolean.'],
    ['account.find', { match: {} }, 'with.match: Must have at least one of: domain, account_name, crm_id, id.'],
    ['account.find', { match: { email: 'a@b.example' } }, 'with.match.email: Unknown key email.'],
    ['account.find', { match: { domain: '' } }, 'with.match.domain: Must'],
    ['contact.find', { match: { email: 'nobody' } }, 'with.match.email: Must be an email address.'],
    ['opportunity.find', { match: { account_name: 'A' } }, 'with.match.account_name: Unknown key account_name.'],
    [
      'opportunity.create',
      { set: { opportunity_name: 'O', account_id: uuid, amount: '5' } },
      'with.set.amount: Must be a number.',
    ],
    ['activity.create', {}, 'with.content: Is required.'],
    ['activity.create', { content: 'x', contact_ids: [uuid, 'y'] }, 'with.contact_ids[1]: Must be a UUID.'],
    ['http.request', { method: 'POST' }, 'with.url: Is required.'],
    ['http.request', { method: 'POST', url: 'ftp://a' }, 'with.url: Must begin with http:// or https://'],
    ['http.request', { method: 'POST', url: 'http://[' }, 'with.url: Must be a URL.'],
    ...[
      'https://${{ payload.x }}',
      'https://${{ payload.x }}.example.com/',
      'https://api.example.com${{ payload.x }}',
      'https://api.example.com${{ payload.x }}/people',
      'https://api.example.com:${{ payload.x }}/',
      'https://api.example.com\\${{ payload.x }}',
      'https://${{ payload.x }}@api.example.com/',
      'https://me:${{ payload.x }}@api.example.com/',
    ].map((url): [string, unknown, string] => [
      'http.request',
      { method: 'GET', url },
      'steps[0].with.url: Must have no expression in its host. Write the host and the / after it as text.',
    ]),
    ...[
      '${{ payload.x }}/people',
      '${{ payload.x }}://a.example/',
      '${{ payload.x }} ',
      '${{ payload.x }}${{ 1 }}',
    ].map((url): [string, unknown, string] => [
      'http.request',
      { method: 'GET', url },
      'steps[0].with.url: Must begin with http:// or https:// and a host, or be one expression and nothing else.',
    ]),
    ['http.request', { method: 'GET', url: ' ${{ payload.x }}' }, 'Must begin with http:// or https:// and a host.'],
    ['http.request', { method: 'GET', url: 'http${{ payload.x }}://a/' }, 'Must begin with http:// or https://'],
    ['http.request', { method: 'GET', url: 'http://a:b/${{ payload.x }}' }, 'with.url: Must be a URL.'],
    ['http.request', { method: 'TRACE', url: 'http://a' }, 'with.method: Must be one of: GET'],
    [
      'http.request',
      { method: 'POST', url: 'http://a', json: 1, body: 'x' },
      'with: Must have json or body, not both.',
    ],
    ['http.request', { method: 'GET', url: 'http://a', json: 1 }, 'with: A GET request must not have a body.'],
    ['http.request', { method: 'GET', url: 'http://a', headers: { 'content-LENGTH': '1' } }, 'sets this header itself'],
    ['http.request', { method: 'GET', url: 'http://a', headers: { 'a:b': '1' } }, 'Must be the name of a header.'],
    ['http.request', { method: 'GET', url: 'http://a', headers: { a: 'x\r\nHost: b' } }, 'Must have no line breaks'],
    ['channel.post', { text: '' }, 'with.text: Must have at least 1 character.'],
    ['delay', {}, 'with: Must have exactly one of for and until.'],
    ['delay', { for: '1s', until: '2026-12-31T17:00:00Z' }, 'with: Must have exactly one of for and until.'],
    ['delay', { for: '366d' }, 'with.for: Must be at most 365d.'],
    ['delay', { for: '31536000001ms' }, 'with.for: Must be at most 365d.'],
    ['delay', { for: '99999999999d' }, 'with.for: Must be at most 365d.'],
    ['delay', { for: 'PT1S' }, 'with.for: Must be a duration like'],
    ['delay', { until: 'tomorrow' }, 'with.until: Must be an ISO 8601 date and time'],
  ])('the step %s with %j is refused', ([use, input, expected]) => {
    expect(lines(use, input).join('\n')).toContain(expected);
  });

  test('a loop over more than a hundred items is refused', () => {
    const steps = [{ id: 'a', use: 'channel.post', with: { text: 'x' } }];
    const json = exampleWorkflow([{ use: 'for_each', with: { items: Array(101).fill(1) }, steps }]);
    expect(faultLines(json)).toEqual(['steps[0].with.items: Must have at most 100 items.']);
  });
});
