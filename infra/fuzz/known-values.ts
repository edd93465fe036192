import type { Database } from '@relata/db';
import { scopeNames } from '@relata/schemas';
import type { Urls } from '@relata/testbed/service-bed';
import { createTestTrigger, createTestOrganization, signIn } from '@relata/testbed/fixtures';
import type { Known } from './request.ts';
import { surface } from './surface.ts';

/** Creates an organization with everything that valid requests need. */
export async function createKnownValues(database: Database, urls: Urls): Promise<Known> {
  const { orgId, keys } = await createTestOrganization(database, 'Fuzz', scopeNames);
  const [key] = keys;
  const definition = {
    name: 'fuzz',
    inputs: { email: { type: 'string', format: 'email', required: true } },
    steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } }],
  };
  const target = await createTestTrigger(database, orgId, {
    assigned: [{ definition, inputs: { email: 'payload.email' } }],
  });
  const other = await createTestTrigger(database, orgId, { name: 'Changed by the console' });
  const records = await createExamples(urls['records-api']!, key!);
  return {
    params: { org: [orgId], trigger: [target.triggerId] },
    ids: [...records, other.triggerId, ...target.workflowIds],
    headers: {
      'records-api': { 'X-Api-Key': key! },
      'chat-gateway': { 'X-Api-Key': key! },
      'webhook-ingest': target.headers,
      console: { Cookie: await signIn(database, orgId), 'Sec-Fetch-Site': 'same-origin' },
    },
  };
}

/** Creates a record from each documented example that the API accepts, and returns the ids. */
async function createExamples(url: string, key: string): Promise<string[]> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const ids: string[] = [];
  for (const { method, path, example } of surface['records-api'].operations) {
    if (method !== 'POST' || /(upsert|batch)$/.test(path)) continue;
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(example) });
    const { data } = (await response.json()) as { data?: { id: string } };
    if (data) ids.push(data.id);
  }
  return ids;
}
