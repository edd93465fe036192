import { afterAll, beforeAll } from 'vitest';
import { startTestApi, type TestApi } from '../../records-api.harness.ts';

export interface BatchOptions {
  headers?: Record<string, string>;
  path?: string;
}

export const accountsPath = '/v1/records/accounts';

/** Starts an API for the tests of a file, and returns helpers for sending batches and checking their effects. */
export function setUpBatches() {
  let api: TestApi;
  beforeAll(async () => void (api = await startTestApi()));
  afterAll(() => api[Symbol.asyncDispose]());
  const ask: TestApi['tenant']['client'] = (...request) => api.tenant.client(...request);
  return {
    api: () => api,
    ask,
    batch: (
      operation: string,
      items: unknown,
      more: object = {},
      { headers, path = accountsPath }: BatchOptions = {},
    ) => ask('POST', `${path}/batch`, { body: { operation, items, ...more }, ...(headers && { headers }) }),
    post: async (body: unknown, client = ask) => (await client('POST', accountsPath, { body })).body.data,
    total: async () => (await ask('GET', `${accountsPath}?limit=1`)).body.total as number,
    latestEvent: async () => (await ask('GET', '/v1/events?order=desc&limit=1')).body.data[0].id as string,
  };
}

/** Returns items for a batch of creates. */
export const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ account_name: `Batch ${i}` }));

export const statuses = ({ body }: { body: { data: { status: number }[] } }) => body.data.map(({ status }) => status);
