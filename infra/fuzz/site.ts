import { createKey, createOrganization } from '@relata/auth';
import type { Database } from '@relata/db';
import { noBus, operatorIn } from '@relata/events';
import { inviteMember, redeemLink } from '@relata/people';
import { scopeNames } from '@relata/schemas';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import type { Urls } from '@relata/testbed/service-bed';
import type { Known } from './request.ts';
import { surface } from './surface.ts';

const dayMs = 86_400_000;

/** Makes an organization with what valid requests need. */
export async function openSite(database: Database, urls: Urls): Promise<Known> {
  const { id: orgId } = await createOrganization(database, 'Fuzz');
  const operating = { database, bus: noBus };
  const actor = operatorIn(orgId, 'fuzz');
  const { key } = await createKey(operating, actor, { name: 'fuzz', kind: 'secret', scopes: scopeNames });
  const { trigger, secret } = await createTrigger(operating, actor, { name: 'Fuzz' });
  const definition = {
    name: 'fuzz',
    inputs: { email: { type: 'string', format: 'email', required: true } },
    steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } }],
  };
  const { applied } = await applyWorkflow(operating, actor, definition);
  const triggerId = trigger.id;
  await assignWorkflow(operating, actor, { triggerId, workflowId: applied.id, inputs: { email: 'payload.email' } });
  const other = await createTrigger(operating, actor, { name: 'Changed by the console' });
  const cookie = await signIn(database, orgId);
  const records = await createExamples(urls['records-api']!, key);
  return {
    params: { org: [orgId], trigger: [triggerId] },
    ids: [...records, other.trigger.id, applied.id],
    headers: {
      'records-api': { 'X-Api-Key': key },
      'chat-gateway': { 'X-Api-Key': key },
      'webhook-ingest': { 'X-Webhook-Secret': secret! },
      console: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
    },
  };
}

async function signIn(database: Database, orgId: string): Promise<string> {
  const invited = { email: 'fuzz@acme.example', name: 'Fuzz', role: 'admin' } as const;
  const { link } = await inviteMember({ database }, operatorIn(orgId, 'fuzz'), invited);
  // Not that of an example, by which the session would be renewed.
  const given = { token: link.token, name: 'Fuzz', new_password: 'known to nobody else' };
  const client = { ip: '127.0.0.1', userAgent: 'fuzz' };
  const redeeming = { client, maxMs: dayMs, requestId: 'fuzz', currentPersonId: undefined };
  return `relata_session=${await redeemLink({ database }, given, redeeming)}`;
}

/** Creates a record by each documented example that refers to no other; returns their ids. */
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
