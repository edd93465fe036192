import { type OperationSpec, recordsOperations } from '@relata/schemas';
import {
  type ConformanceTarget,
  describeConformance,
  exampleBody,
  examplePath,
  exampleReferences,
} from '@relata/testing';
import { afterAll, beforeAll } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;
let target: ConformanceTarget;

beforeAll(async () => {
  api = await startTestApi({ rateLimit: { points: 1_000_000, windowMs: 60_000 } });
  const { ids } = api.tenant;
  target = {
    client: api.tenant.client,
    keyWithoutScopes: await api.keyWith(['chat']),
    pathOf: async (spec) => examplePath(spec, ids),
    foreignPathOf: async (spec) => examplePath(spec, api.other.ids),
    bodyOf: async (spec) => exampleBody(spec, ids),
    foreignReferences: async (spec) => exampleReferences(spec, api.other.ids),
  };
});

afterAll(() => api[Symbol.asyncDispose]());

describeConformance(Object.values<OperationSpec>(recordsOperations), () => target);
