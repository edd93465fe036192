import { noopBus, operatorActor } from '@relata/events';
import { newId, statement } from '@relata/db';
import { type TestDatabase, until } from '@relata/testing';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import { replayDelivery } from '@relata/workflows/deliveries';
import { findRun, type RunStatus } from '@relata/workflows/runs';
import { expect } from 'vitest';
import { startOutside } from '../../workflow-worker/src/outside.harness.ts';
import { openWorker } from '../../workflow-worker/src/workflow-worker.harness.ts';
import type { Examples } from './examples.harness.ts';

/** A response of another system: a status, and optionally the seconds after which to retry. */
export interface PartnerResponse {
  status: number;
  retryAfterSeconds?: number;
}

/** Starts a real worker on the organization's database, and an external system that its runs call. */
export async function openRuns(db: TestDatabase, examples: Examples) {
  const stack = new AsyncDisposableStack();
  const { orgId } = examples;
  let responses: PartnerResponse[] = [];
  const partner = stack.use(
    await startOutside((response) => {
      const { status, retryAfterSeconds } = (responses.length > 1 ? responses.shift() : responses[0]) ?? {
        status: 200,
      };
      const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{}');
    }),
  );
  stack.use(await openWorker(db.url));
  const [context, actor] = [{ database: db.database, bus: noopBus }, operatorActor(orgId, 'test')];

  const find = async (id: string) => (await findRun(db.database, orgId, id))!;

  /** Starts a run of a definition, and returns once it reaches the status. */
  async function run(definition: { name: string; steps: object[] }, status: RunStatus) {
    const inputs = { email: { type: 'string', required: true } };
    const { applied } = await applyWorkflow(context, actor, { ...definition, inputs });
    const { trigger } = await createTrigger(context, actor, { name: 'Form' });
    const mapping = { email: 'payload.email' };
    await assignWorkflow(context, actor, { triggerId: trigger.id, workflowId: applied.id, inputs: mapping });
    const email = `p${newId()}@robotics.example`;
    const [id] = (await replayDelivery(context, actor, await examples.deliver(trigger.id, JSON.stringify({ email }))))
      .runs;
    await until(async () => expect((await find(id!)).status).toBe(status));
    return { id: id!, email };
  }

  return {
    partner,
    run,
    find,
    /** Sets the next responses; the last one is repeated. */
    respondWith: (...given: PartnerResponse[]) => void (responses = given),
    /** A workflow that calls the partner after creating a contact and an activity. */
    notify: { name: 'inbound-lead', steps: notifying(partner.url) },
    /** Adds steps to a run's journal: a loop with 100 steps over 100 items. */
    addSteps: (id: string) => db.database.query(insertSteps, [orgId, id]),
    /** Counts the contacts and activities that the steps before `notify` created for a person. */
    countEffects: async (email: string) => (await db.database.query(counts, [orgId, email]))[0]!,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type Runs = Awaited<ReturnType<typeof openRuns>>;

const notifying = (url: string) => [
  {
    id: 'contact',
    use: 'contact.upsert',
    with: { match: { email: '${{ inputs.email }}' }, set: { first_name: 'Ada', last_name: 'Inbound' } },
  },
  { id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } },
  {
    id: 'notify',
    use: 'http.request',
    retry: { initial_delay: '10ms' },
    with: { method: 'POST', url, json: { email: '${{ inputs.email }}' } },
  },
];

const insertSteps = statement<never>(
  'test.insert_steps',
  `INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, attempts, input, output, started_at, finished_at)
   SELECT $1, $2, format('each[%s].s%s', item, step), item * 100 + step, 'activity.create', 'succeeded', 1,
     '{"content":"From ada@acme.example"}', '{"id":"019a1b2c-0000-7000-8000-000000000001"}', now(), now()
   FROM generate_series(0, 99) item, generate_series(0, 99) step`,
);

const counts = statement<{ contacts: number; activities: number }>(
  'test.count_effects',
  `SELECT (SELECT count(*)::integer FROM contacts WHERE org_id = $1 AND email = $2) AS contacts,
     (SELECT count(*)::integer FROM custom_activities WHERE org_id = $1 AND content = 'From ' || $2) AS activities`,
);
