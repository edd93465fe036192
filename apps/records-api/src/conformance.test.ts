import { type OperationSpec, recordsOperations } from '@relata/schemas';
import { type ConformanceTarget, describeConformance, exampleReferences, roomyBodies } from '@relata/testing';
import { afterAll, beforeAll } from 'vitest';
import { startAppProcess } from '../../../infra/telemetry/app-process.harness.ts';
import { createSingleStage, operationBody, operationPath } from './operation-path.harness.ts';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;
let target: ConformanceTarget;

beforeAll(async () => {
  // This tests the bundle, since a bundler may change the behaviour of the source.
  api = await startTestApi({ start: (url) => startAppProcess('records-api', url, { API_RATE_LIMIT: '1000000/1m' }) });
  const { client, ids } = api.tenant;
  const single = await createSingleStage(client);
  const ordering = { ...api.tenant, ids: { ...ids, pipeline: single.pipeline_id } };
  target = {
    client: api.tenant.client,
    keyWithoutScopes: await api.keyWith(['chat']),
    pathOf: (spec) => operationPath(api, spec.id === 'orderStages' ? ordering : api.tenant, spec),
    foreignPathOf: (spec) => operationPath(api, api.other, spec),
    bodyOf: async (spec) =>
      spec.id === 'orderStages' ? { stage_ids: [single.id] } : operationBody(api, api.tenant, spec),
    bodiesOf: (spec) => (spec.id === 'orderStages' ? [{ stage_ids: [single.id] }] : roomyBodies(spec, ids)),
    references: (spec) => (spec.body ? exampleReferences(spec, ids) : {}),
    foreignReferences: async (spec) => exampleReferences(spec, api.other.ids),
  };
});

afterAll(() => api[Symbol.asyncDispose]());

describeConformance(Object.values<OperationSpec>(recordsOperations), () => target);
