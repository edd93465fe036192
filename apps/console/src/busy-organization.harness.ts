import { type Database, newId, type Statement, statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { type TestDatabase, until } from '@relata/testing';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import { storeDeliveries } from '@relata/workflows/intake';
import { expect } from 'vitest';
import { startOutside } from '../../workflow-worker/src/outside.harness.ts';
import { openWorker } from '../../workflow-worker/src/workflow-worker.harness.ts';

const visitors = [
  ['Ada Lovelace', 'ada@engines.example', 'Analytical Engines'],
  ['Grace Hopper', 'grace@navy.example', 'Navy Yard'],
  ['Alan Turing', 'alan@bletchley.example', 'Bletchley Park'],
  ['Hedy Lamarr', 'hedy@hopping.example', 'Hopping Radio'],
  ['Mary Somerville', 'mary@spheres.example', 'Celestial Works'],
  ['Joan Clarke', 'joan@hut8.example', 'Hut Eight'],
] as const;

const inputs = {
  email: { type: 'string', format: 'email', required: true },
  name: { type: 'string' },
  company: { type: 'string' },
};

const inboundLead = (notifyUrl: string) => ({
  name: 'inbound-lead',
  inputs,
  steps: [
    {
      id: 'account',
      use: 'account.upsert',
      with: { match: { account_name: '${{ inputs.company }}' }, set: { tags: ['inbound'] } },
    },
    {
      id: 'contact',
      use: 'contact.upsert',
      with: {
        match: { email: '${{ inputs.email }}' },
        set: { first_name: '${{ inputs.name }}', last_name: 'Inbound' },
      },
    },
    { id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } },
    {
      id: 'notify',
      use: 'http.request',
      with: { method: 'POST', url: notifyUrl, json: { email: '${{ inputs.email }}' } },
    },
  ],
});

const nurture = {
  name: 'nurture',
  inputs,
  steps: [
    { id: 'pause', use: 'delay', with: { for: '2d' } },
    { id: 'log', use: 'activity.create', with: { content: 'Time to write to ${{ inputs.email }}' } },
  ],
};

const billing = (refuseUrl: string) => ({
  name: 'billing',
  inputs,
  steps: [{ id: 'invoice', use: 'http.request', with: { method: 'POST', url: refuseUrl, json: {} } }],
});

export interface BusyOrganization extends AsyncDisposable {
  /** A run that succeeded after two failed attempts of its last step. */
  runId: string;
  deliveryId: string;
}

/** Fills an organization as if it had been used for a while: with deliveries, runs of a real worker, and failures. */
export async function fillOrganization(db: TestDatabase, orgId: string): Promise<BusyOrganization> {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await startPartner());
  stack.use(await openWorker(db.url));
  const form = await addTrigger(db.database, orgId, 'Website form', [inboundLead(`${url}busy`), nurture]);
  const shop = await addTrigger(db.database, orgId, 'Shop', [billing(`${url}refuse`)]);
  const made = [];
  for (const [at, visitor] of visitors.entries())
    made.push(await deliver(db.database, orgId, at === 2 ? shop : form, visitor));
  await until(async () => {
    const rows = await db.database.query(statuses, [orgId]);
    expect(Object.fromEntries(rows.map(({ status, n }) => [status, n]))).toEqual({
      succeeded: 5,
      failed: 1,
      waiting: 5,
    });
  });
  for (const [at, { id }] of made.entries())
    for (const move of [moveDelivery, moveRuns]) await db.database.query(move, [orgId, id, (made.length - 1 - at) * 7]);
  const { id: deliveryId, runIds } = made.at(-1)!;
  return { deliveryId, runId: runIds[0]!, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const statuses = statement<{ status: string; n: number }>(
  'test.run_statuses',
  'SELECT status, count(*)::integer AS n FROM workflow_runs WHERE org_id = $1 GROUP BY status',
);

/** Moves a delivery into the past by a number of minutes. */
const moveDelivery: Statement<never> = {
  name: 'test.move_delivery',
  text: `UPDATE webhook_deliveries SET received_at = received_at - make_interval(mins => $3)
    WHERE org_id = $1 AND id = $2`,
};
/**
 * Moves the runs of a delivery into the past. They start 40 ms after they were created, as if a worker had been
 * notified.
 */
const moveRuns: Statement<never> = {
  name: 'test.move_runs',
  text: `UPDATE workflow_runs SET created_at = started_at - make_interval(mins => $3, secs => 0.04),
      started_at = started_at - make_interval(mins => $3), finished_at = finished_at - make_interval(mins => $3)
    WHERE org_id = $1 AND delivery_id = $2`,
};

interface FilledTrigger {
  id: string;
  workflows: { id: string; version: number }[];
}

async function addTrigger(
  database: Database,
  orgId: string,
  name: string,
  definitions: readonly object[],
): Promise<FilledTrigger> {
  const [context, actor] = [{ database, bus: noopBus }, operatorActor(orgId, 'test')];
  const { trigger } = await createTrigger(context, actor, { name });
  const workflows = [];
  for (const definition of definitions) {
    const { applied } = await applyWorkflow(context, actor, definition);
    const mapping = { email: 'payload.email', name: 'payload.name', company: 'payload.company' };
    await assignWorkflow(context, actor, { triggerId: trigger.id, workflowId: applied.id, inputs: mapping });
    workflows.push({ id: applied.id, version: applied.version });
  }
  return { id: trigger.id, workflows };
}

/** Stores a delivery as the receiver does; the worker finds its runs by itself. */
async function deliver(
  database: Database,
  orgId: string,
  trigger: FilledTrigger,
  [name, email, company]: readonly [string, string, string],
) {
  const given = { email, name, company };
  const runs = trigger.workflows.map(({ id, version }) => ({
    id: newId(),
    workflowId: id,
    version,
    isLimited: false,
    inputs: JSON.stringify(given),
  }));
  const body = Buffer.from(JSON.stringify({ ...given, message: 'We would like to see a demo.', page: '/pricing' }));
  const headers = { 'content-type': 'application/json', 'user-agent': 'WebsiteForms/2.1' };
  const delivery = { orgId, id: newId(), triggerId: trigger.id, keyHash: undefined, body, headers, skipped: [], runs };
  await storeDeliveries(database, [delivery]);
  return { id: delivery.id, runIds: runs.map(({ id }) => id) };
}

/** Starts an external system. It is busy (503) at the first two attempts of each step; `/refuse` always answers 422. */
function startPartner() {
  const tries = new Map<unknown, number>();
  return startOutside((response, { url, headers }) => {
    const key = headers['idempotency-key'];
    const count = (tries.get(key) ?? 0) + 1;
    tries.set(key, count);
    const status = url === '/refuse' ? 422 : count < 3 ? 503 : 200;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  });
}
