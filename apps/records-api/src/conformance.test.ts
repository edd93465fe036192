import { type OperationSpec, recordsOperations } from '@relata/schemas';
import {
  type ConformanceTarget,
  describeConformance,
  exampleBody,
  examplePath,
  exampleReferences,
  freshPath,
  roomyBodies,
} from '@relata/testing';
import { afterAll, beforeAll } from 'vitest';
import { startAppProcess } from '../../../infra/telemetry/app-process.harness.ts';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;
let target: ConformanceTarget;

/** Returns the path of an operation with example ids; a delete needs a record of its own. Events have no example; creating the others has caused some. */
async function pathIn({ client, ids, orgId }: TestApi['tenant'], spec: OperationSpec): Promise<string> {
  if (spec.method === 'delete') return freshPath(api.db.database, orgId, spec, ids);
  if (spec.path.startsWith('/v1/trash/')) {
    const removal: OperationSpec = recordsOperations.deleteContact;
    const path = await freshPath(api.db.database, orgId, removal, ids);
    const { data } = (await client('DELETE', path)).body;
    return spec.path.replace('{id}', data.id);
  }
  if (spec.id !== 'getEvent') return examplePath(spec, ids);
  const { data } = (await client('GET', '/v1/events?limit=1')).body;
  return `/v1/events/${data[0].id}`;
}

beforeAll(async () => {
  // Tests the bundle, since a bundler may change the behaviour of the source.
  api = await startTestApi({ start: (url) => startAppProcess('records-api', url, { API_RATE_LIMIT: '1000000/1m' }) });
  const { ids } = api.tenant;
  target = {
    client: api.tenant.client,
    keyWithoutScopes: await api.keyWith(['chat']),
    pathOf: (spec) => pathIn(api.tenant, spec),
    foreignPathOf: (spec) => pathIn(api.other, spec),
    bodyOf: async (spec) => exampleBody(spec, ids),
    bodiesOf: (spec) => roomyBodies(spec, ids),
    references: (spec) => (spec.body ? exampleReferences(spec, ids) : {}),
    foreignReferences: async (spec) => exampleReferences(spec, api.other.ids),
  };
});

afterAll(() => api[Symbol.asyncDispose]());

describeConformance(Object.values<OperationSpec>(recordsOperations), () => target);
