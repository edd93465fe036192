import { createOrganization } from '@relata/auth';
import { openDatabase } from '@relata/db';
import { noBus, operatorIn } from '@relata/events';
import { makeLocalLink, redeemLink } from '@relata/people';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import pg from 'pg';

/** So many sessions that none of them reaches its limit of requests. */
const sessions = 100;
const others = 10;
/** Of which the first five receive deliveries, and all have refused posts. */
const ownTriggers = 100;

/** A database with an organization, ten others, and somebody who is signed in to it many times. */
export interface ConsoleSite extends AsyncDisposable {
  url: string;
  /** One connection for what the bench itself does; statements may take as long as they like. */
  admin: pg.Client;
  /** The first is the bench's own. */
  orgIds: string[];
  /** Of the bench's own organization; the first has few deliveries, the next four many. */
  triggerIds: string[];
  /** One of each other organization. */
  otherTriggerIds: string[];
  /** What all of its triggers start. */
  workflowId: string;
  cookies: string[];
}

const workflow = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', format: 'email', required: true }, name: { type: 'string' } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } }],
};

export async function createConsoleSite(url: string): Promise<ConsoleSite> {
  await using stack = new AsyncDisposableStack();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  stack.defer(() => admin.end());
  const database = stack.use(openDatabase({ url, name: 'bench' }));
  const context = { database, bus: noBus };
  const orgIds: string[] = [];
  for (let at = 0; at <= others; at++) orgIds.push((await createOrganization(database, `Organization ${at}`)).id);
  const actor = operatorIn(orgIds[0]!, 'bench');
  const workflowId = (await applyWorkflow(context, actor, workflow)).applied.id;
  const triggerIds: string[] = [];
  for (let at = 0; at < ownTriggers; at++) {
    const { trigger } = await createTrigger(context, actor, { name: `Form ${at}` });
    const inputs = { email: 'payload.user.email', name: 'payload.user.name' };
    await assignWorkflow(context, actor, { triggerId: trigger.id, workflowId, inputs });
    triggerIds.push(trigger.id);
  }
  const otherTriggerIds: string[] = [];
  for (const orgId of orgIds.slice(1))
    otherTriggerIds.push((await createTrigger(context, operatorIn(orgId, 'bench'), { name: 'Form' })).trigger.id);
  const cookies: string[] = [];
  while (cookies.length < sessions) cookies.push(await newSession(context, orgIds[0]!));
  const opened = stack.move();
  return {
    url,
    admin,
    orgIds,
    triggerIds,
    otherTriggerIds,
    workflowId,
    cookies,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function newSession(context: Parameters<typeof redeemLink>[0], orgId: string): Promise<string> {
  const start = { email: 'bench@localhost', name: 'Bench', orgIds: [orgId], requestId: 'bench' };
  const { token } = await makeLocalLink(context, start);
  const client = { ip: '127.0.0.1', userAgent: 'bench' };
  const redeeming = { client, maxMs: 86_400_000, requestId: 'bench', currentPersonId: undefined };
  return `relata_session=${await redeemLink(context, { token }, redeeming)}`;
}
