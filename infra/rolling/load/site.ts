import { createKey, createOrganization } from '@relata/auth';
import type { Database } from '@relata/db';
import { noBus, operatorIn } from '@relata/events';
import { inviteMember, redeemLink } from '@relata/people';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';

/** What the load needs of an organization. */
export interface Site {
  orgId: string;
  apiKey: string;
  triggerId: string;
  secret: string;
  /** Of somebody who is signed in to the console. */
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
  retry: { max_attempts: 10, initial_delay: '100ms', max_delay: '1s' },
  timeout: '8s',
};

/** The workflows that each delivery starts: one at once, one with a timer, one that waits for another system. */
export const workflows = ['rolling-quick', 'rolling-waiting', 'rolling-calling'] as const;
const stepsOf = { 'rolling-quick': [], 'rolling-waiting': [waits], 'rolling-calling': [calls] };

/** Fills the database with an organization whose trigger starts the workflows. */
export async function createSite(database: Database, outside: string): Promise<Site> {
  const { id: orgId } = await createOrganization(database, 'Rolling');
  const [context, actor] = [{ database, bus: noBus }, operatorIn(orgId, 'rolling')];
  const scopes = ['records:read', 'records:write', 'events:read', 'chat'] as const;
  const { key: apiKey } = await createKey(context, actor, { name: 'rolling', kind: 'secret', scopes });
  const { trigger, secret } = await createTrigger(context, actor, { name: 'Rolling' });
  for (const name of workflows) {
    const definition = { name, inputs: { nonce, outside: nonce }, steps: [...stepsOf[name], logStep(name)] };
    const { applied } = await applyWorkflow(context, actor, definition);
    const inputs = { nonce: 'payload.nonce', outside: { const: outside } };
    await assignWorkflow(context, actor, { triggerId: trigger.id, workflowId: applied.id, inputs });
  }
  return { orgId, apiKey, triggerId: trigger.id, secret: secret!, cookie: await signIn(database, orgId) };
}

async function signIn(database: Database, orgId: string): Promise<string> {
  const member = { email: 'ada@rolling.example', name: 'Ada', role: 'viewer' } as const;
  const { link } = await inviteMember({ database }, operatorIn(orgId, 'rolling'), member);
  const given = { token: link.token, name: 'Ada', new_password: 'correct horse battery' };
  const client = { ip: '127.0.0.1', userAgent: 'rolling' };
  const redeeming = { client, maxMs: 86_400_000, requestId: 'rolling', currentPersonId: undefined };
  return `relata_session=${await redeemLink({ database }, given, redeeming)}`;
}
