import { createKey, revokeKey, updateKey } from '@relata/auth';
import { type Author, organizationActor, noopBus, type OperationContext } from '@relata/events';
import { auditTypes } from '@relata/schemas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;
let context: OperationContext;

beforeAll(async () => {
  api = await startTestApi();
  context = { database: api.db.database, bus: noopBus };
});
afterAll(() => api[Symbol.asyncDispose]());

const call = (query: string) => api.tenant.client('GET', `/v1/events${query}`);
const by = (author: Author) => organizationActor(author, api.tenant.orgId);
const operator = { kind: 'operator', requestId: 'typed' } as const;
const site = { kind: 'publishable', scopes: ['chat'], origins: ['https://a.example'], name: 'Site' } as const;

test('the feed contains changes of a key, with the author, the values before and after, and the visible part of the key', async () => {
  const { id, created_at } = await createKey(context, by(operator), site);
  const user = by({ kind: 'user', userId: 'ada', name: 'Ada', requestId: 'clicked' });
  await updateKey(context, user, { id, origins: ['https://b.example'] });
  const { revoked_at } = await revokeKey(context, by({ kind: 'system', requestId: 'sweep' }), id);
  const { data } = (await call(`?record_id=${id}`)).body;
  const shown = { id, name: 'Site', kind: 'publishable', scopes: ['chat'], origins: ['https://b.example'], created_at };
  const about = { id: expect.any(String), created_at: expect.any(String), record_type: 'api_key', record_id: id };
  expect(data).toEqual([
    {
      ...about,
      type: 'api_key.created',
      actor: { type: 'operator' },
      request_id: 'typed',
      record: { ...shown, origins: ['https://a.example'] },
    },
    {
      ...about,
      type: 'api_key.updated',
      actor: { type: 'user', id: 'ada', name: 'Ada' },
      request_id: 'clicked',
      changed: ['origins'],
      previous: { origins: ['https://a.example'] },
      record: shown,
    },
    {
      ...about,
      type: 'api_key.revoked',
      actor: { type: 'system' },
      request_id: 'sweep',
      changed: ['revoked_at'],
      previous: {},
      record: { ...shown, revoked_at },
    },
  ]);
  expect((await call(`/${data[2].id}`)).body).toEqual({ data: data[2] });
  expect((await call(`?actor_id=ada&changed=origins`)).body.data).toEqual([data[1]]);
  expect((await api.other.client('GET', `/v1/events/${data[0].id}`)).status).toBe(404);
});

test('the filters type and record_type select audit events', async () => {
  const { id } = await createKey(context, by(operator), site);
  for (const query of ['type=api_key.*,trigger.created', 'record_type=api_key', 'record_type=api_key&type=api_key.*']) {
    const { status, body } = await call(`?${query}&limit=1000`);
    expect(status).toBe(200);
    expect(body.data.map((event: { record_id: string }) => event.record_id)).toContain(id);
    expect(new Set(body.data.map((event: { record_type: string }) => event.record_type))).toEqual(new Set(['api_key']));
  }
});

test.each([...auditTypes, 'secret.*'])('accepts %s as a type to filter by', async (type) => {
  expect((await call(`?type=${type}`)).status).toBe(200);
});

test.each(['type=api_key.deleted', 'type=workflow.created', 'record_type=nonsense'])(
  'refuses %s as a filter',
  async (query) => {
    expect((await call(`?${query}`)).status).toBe(400);
  },
);
