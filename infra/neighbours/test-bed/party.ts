import type { Database } from '@relata/db';
import {
  type Assigned,
  createTestTrigger,
  createTestOrganization,
  signIn,
  type TestTrigger,
  workflowOf,
} from '@relata/testbed/fixtures';
import { insertAccounts, listAccountIds } from './party.sql.ts';

/** An organization with everything that its requests need, as JSON, because it is sent to other processes. */
export interface Party {
  orgId: string;
  /** Each key has its own limit. */
  keys: readonly string[];
  /** The session of somebody who is signed in to the console. */
  cookie: string;
  accountIds: readonly string[];
  /**
   * Triggers: two that start nothing, one that creates a contact from each post, and one that first calls another
   * system and then creates a contact.
   */
  plain: TestTrigger;
  sibling: TestTrigger;
  leads: TestTrigger;
  calls: TestTrigger;
}

const keysCount = 8;
const accountsCount = 500;

export async function createParty(database: Database, name: string, outside: string): Promise<Party> {
  const scopes = ['records:read', 'records:write', 'records:delete', 'activities:write', 'chat'] as const;
  const { orgId, keys } = await createTestOrganization(database, name, scopes, keysCount);
  await insertAccounts(database, orgId, { from: 1, to: accountsCount, domain: 'robotics.example' });
  return {
    orgId,
    keys,
    cookie: await signIn(database, orgId),
    accountIds: await listAccountIds(database, orgId),
    plain: await createTestTrigger(database, orgId),
    sibling: await createTestTrigger(database, orgId),
    leads: await createTestTrigger(database, orgId, leadWorkflow('lead')),
    calls: await createTestTrigger(database, orgId, leadWorkflow('called-lead', callStep(outside))),
  };
}

function leadWorkflow(name: string, ...before: object[]): { assigned: Assigned[] } {
  const match = { email: '${{ inputs.email }}' };
  const set = { first_name: 'Healthy', last_name: 'Neighbour' };
  const inputs = { email: { type: 'string', format: 'email', required: true } };
  const upsert = { id: 'contact', use: 'contact.upsert', with: { match, set } };
  return { assigned: [workflowOf(name, inputs, ...before, upsert)] };
}

/** Returns a step that calls the server by its host name, so that the name must be resolved. */
function callStep(outside: string) {
  const url = new URL('/ok', outside);
  url.hostname = 'localhost';
  return { id: 'call', use: 'http.request', with: { method: 'GET', url: url.href } };
}
