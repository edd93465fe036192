import { type OperationSpec, recordsOperations } from '@relata/schemas';
import { type ConformanceTarget, describeConformance } from '@relata/testing';
import { afterAll, beforeAll } from 'vitest';
import { startTestApi, type Tenant, type TestApi } from './records-api.harness.ts';

let api: TestApi;
let target: ConformanceTarget;

beforeAll(async () => {
  api = await startTestApi({ rateLimit: { points: 1_000_000, windowMs: 60_000 } });
  target = {
    client: api.tenant.client,
    keyWithoutScopes: await api.keyWith(['chat']),
    pathOf: (spec) => pathOf(spec, api.tenant),
    foreignPathOf: (spec) => pathOf(spec, api.other),
    bodyOf: (spec) => Promise.resolve(bodyOf(spec, api.tenant)),
    foreignReferences: (spec) => Promise.resolve(referencesOf(spec, api.other)),
  };
});

afterAll(() => api[Symbol.asyncDispose]());

describeConformance(Object.values<OperationSpec>(recordsOperations), () => target);

const recordOfPath: Record<string, keyof Tenant['ids']> = {
  accounts: 'account',
  contacts: 'contact',
  opportunities: 'opportunity',
  pipelines: 'pipeline',
  stages: 'stage',
  users: 'user',
};

async function pathOf(spec: OperationSpec, tenant: Tenant): Promise<string> {
  if (!spec.params) return spec.path;
  const kind = recordOfPath[spec.path.split('/')[3]!];
  return spec.path.replace('{id}', kind ? tenant.ids[kind] : await createActivity(tenant));
}

async function createActivity({ client }: Tenant): Promise<string> {
  const { body } = await client('POST', '/v1/activities/custom', { body: { content: 'Called.' } });
  return body.data.id;
}

function bodyOf(spec: OperationSpec, tenant: Tenant): Record<string, unknown> {
  const references = referencesOf(spec, tenant);
  const example = spec.example ?? {};
  return { ...example, ...('account_id' in example && { account_id: references['account_id'] }) };
}

function referencesOf({ path, body }: OperationSpec, { ids }: Tenant): Record<string, unknown> {
  if (!body) return {};
  if (path.includes('opportunities')) return { account_id: ids.account, stage_id: ids.stage };
  if (!path.includes('activities')) return {};
  return { owner_id: ids.user, contact_ids: [ids.contact], opportunity_ids: [ids.opportunity] };
}
