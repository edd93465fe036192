import { createKey, createOrganization } from '@relata/auth';
import type { Database } from '@relata/db';
import { noBus, operatorIn } from '@relata/events';
import { makeLocalLink, redeemLink } from '@relata/people';
import { applyWorkflow, assignWorkflow, createTrigger, type InputMapping } from '@relata/workflows';
import { insertAccounts, listAccountIds } from './party.sql.ts';

/** A trigger to post to. */
export interface Target {
  triggerId: string;
  path: string;
  headers: Record<string, string>;
}

/** An organization with what its requests need; JSON, since it crosses processes. */
export interface Party {
  orgId: string;
  /** Each has a limit of its own. */
  keys: readonly string[];
  /** The session of somebody who is signed in to the console. */
  cookie: string;
  accountIds: readonly string[];
  /** Triggers: two that start nothing, one that makes a contact of what it is sent, one that first calls a system. */
  plain: Target;
  sibling: Target;
  leads: Target;
  calls: Target;
}

/** What a trigger starts. */
export interface Assigned {
  definition: object;
  inputs: InputMapping;
  filter?: string;
}

const keysCount = 8;
const accountsCount = 500;

export async function createParty(database: Database, name: string, outside: string): Promise<Party> {
  const { id: orgId } = await createOrganization(database, name);
  const scopes = ['records:read', 'records:write', 'activities:write', 'chat'] as const;
  const keys: string[] = [];
  for (let i = 0; i < keysCount; i++) {
    const made = { name: `${name} ${i}`, kind: 'secret', scopes } as const;
    keys.push((await createKey({ database }, operatorIn(orgId, 'party'), made)).key);
  }
  await insertAccounts(database, orgId, { from: 1, to: accountsCount, domain: 'robotics.example' });
  return {
    orgId,
    keys,
    cookie: await signIn(database, orgId),
    accountIds: await listAccountIds(database, orgId),
    plain: await createTarget(database, orgId),
    sibling: await createTarget(database, orgId),
    leads: await createTarget(database, orgId, leadWorkflow('lead')),
    calls: await createTarget(database, orgId, leadWorkflow('called-lead', callStep(outside))),
  };
}

/** Signs somebody in to the console once more, and returns the cookie. */
export async function signIn(database: Database, orgId: string): Promise<string> {
  const email = `${orgId}@localhost`;
  const { token } = await makeLocalLink({ database }, { email, name: 'Party', orgIds: [orgId], requestId: 'party' });
  const client = { ip: '127.0.0.1', userAgent: 'neighbours' };
  const redeeming = { client, maxMs: 86_400_000, requestId: 'party', currentPersonId: undefined };
  return `relata_session=${await redeemLink({ database }, { token }, redeeming)}`;
}

function leadWorkflow(name: string, ...before: object[]): Assigned {
  const match = { email: '${{ inputs.email }}' };
  const set = { first_name: 'Healthy', last_name: 'Neighbour' };
  return {
    definition: {
      name,
      inputs: { email: { type: 'string', format: 'email', required: true } },
      steps: [...before, { id: 'contact', use: 'contact.upsert', with: { match, set } }],
    },
    inputs: { email: 'payload.email' },
  };
}

/** The address by its host name, so that the name must be resolved. */
function callStep(outside: string) {
  const url = new URL('/ok', outside);
  url.hostname = 'localhost';
  return { id: 'call', use: 'http.request', with: { method: 'GET', url: url.href } };
}

/** A trigger, and the workflows that it starts. */
export async function createTarget(database: Database, orgId: string, ...assigned: Assigned[]): Promise<Target> {
  const name = assigned.length === 0 ? 'Starts nothing' : 'Starts workflows';
  const operating = { database, bus: noBus };
  const actor = operatorIn(orgId, 'party');
  const { trigger, secret } = await createTrigger(operating, actor, { name });
  const triggerId = trigger.id;
  for (const { definition, inputs, filter } of assigned) {
    const { applied } = await applyWorkflow(operating, actor, definition);
    await assignWorkflow(operating, actor, { triggerId, workflowId: applied.id, inputs, filter });
  }
  return { triggerId, path: `/webhooks/trigger/${triggerId}`, headers: { 'x-webhook-secret': secret! } };
}
