import type { Database } from '@relata/db';
import { createTestTrigger, createTestOrganization, signIn, type TestTrigger } from '@relata/testbed/fixtures';

export interface LoadedOrganization {
  orgId: string;
  apiKey: string;
  target: TestTrigger;
  /** Session of somebody who is signed in to the console. */
  cookie: string;
}

const nonce = { type: 'string', required: true };
const logStep = (source: string) => ({
  id: 'log',
  use: 'activity.create',
  with: { content: '${{ inputs.nonce }}', source },
});
const waits = { id: 'pause', use: 'delay', with: { for: '700ms' } };
const calls = {
  id: 'call',
  use: 'http.request',
  with: { method: 'POST', url: '${{ inputs.outside }}', json: { nonce: '${{ inputs.nonce }}' } },
  retry: { max_attempts: 20, initial_delay: '100ms', max_delay: '3s' },
  timeout: '8s',
};

/** The workflows that each delivery starts. One ends at once, one has a timer, and one waits for another system. */
export const workflows = ['rolling-quick', 'rolling-waiting', 'rolling-calling'] as const;
const stepsOf = { 'rolling-quick': [], 'rolling-waiting': [waits], 'rolling-calling': [calls] };

/** Fills the database with an organization whose trigger starts the workflows. */
export async function createLoadedOrganization(database: Database, outside: string): Promise<LoadedOrganization> {
  const scopes = ['records:read', 'records:write', 'events:read', 'chat'] as const;
  const { orgId, keys } = await createTestOrganization(database, 'Rolling', scopes);
  const inputs = { nonce: 'payload.nonce', outside: { const: outside } };
  const assigned = workflows.map((name) => ({
    definition: { name, inputs: { nonce, outside: nonce }, steps: [...stepsOf[name], logStep(name)] },
    inputs,
  }));
  const target = await createTestTrigger(database, orgId, { assigned });
  return { orgId, apiKey: keys[0]!, target, cookie: await signIn(database, orgId) };
}
