import { createOrganization } from '@relata/auth';
import { type Db, newId, statement } from '@relata/db';
import { type Actor, noopBus, operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyWorkflow } from '../definitions/workflow.operations.ts';
import { replayDelivery } from '../deliveries/delivery.operations.ts';
import { storeDeliveries } from '../deliveries/delivery-store.sql.ts';
import { TimeSlicer } from '../time-slicer.ts';
import { reopenWithLatest } from '../runs/latest-version.ts';
import { assignWorkflow } from '../triggers/assignment.operations.ts';
import { createTrigger } from '../triggers/trigger.operations.ts';
import { predictRetry } from './retry-verdict.operations.ts';

let db: TestDatabase;
let acme: Actor;
beforeAll(async () => {
  db = await createTestDatabase();
  acme = operatorActor((await createOrganization(db.database, 'Acme')).id, 'test');
});
afterAll(() => db[Symbol.asyncDispose]());

const call = { use: 'http.request', with: { method: 'GET', url: 'https://partner.example/' } };
const contact = (name: string) => ({ use: 'contact.create', with: { set: { first_name: name, last_name: 'L' } } });
const definition = (more: object = {}) => ({
  name: 'inbound-lead',
  ...more,
  inputs: { items: { type: 'array' } },
  steps: [
    { id: 'fetch', ...call },
    {
      id: 'each',
      use: 'for_each',
      with: { items: '${{ inputs.items }}' },
      steps: [
        { id: 'call', ...call },
        { id: 'make', ...contact('${{ item + steps.fetch.body.name + steps.call.body.name }}') },
      ],
    },
    { id: 'last', ...call },
  ],
});

interface Step {
  path: string;
  status?: 'succeeded' | 'failed';
  input?: unknown;
  output?: unknown;
}

/** Creates a failed run with a journal. Two versions of its workflow exist, and the run has the older one. */
async function failedRun(steps: readonly Step[]): Promise<string> {
  const context = { database: db.database, bus: noopBus };
  const { applied } = await applyWorkflow(context, acme, definition({ description: newId() }));
  const { trigger } = await createTrigger(context, acme, { name: 'Form' });
  const assignment = { triggerId: trigger.id, workflowId: applied.id, inputs: { items: 'payload.items' } };
  await assignWorkflow(context, acme, assignment);
  const [id, body] = [newId(), Buffer.from('{"items":["a","b"]}')];
  const delivery = { orgId: acme.orgId, id, triggerId: trigger.id, keyHash: undefined, headers: {}, skipped: [] };
  await storeDeliveries(db.database, [{ ...delivery, body, runs: [] }]);
  const runId = (await replayDelivery(context, acme, id)).runs[0]!;
  await applyWorkflow(context, acme, definition({ description: newId() }));
  await db.owner.query(fail, [runId]);
  for (const [position, { path, status = 'succeeded', input = null, output = null }] of steps.entries()) {
    const use = { each: 'for_each', make: 'contact.create' }[path.split('.').at(-1)!] ?? 'http.request';
    const values = [input, output].map((value) => JSON.stringify(value));
    await db.owner.query(insertStep, [acme.orgId, runId, path, position, use, status, ...values]);
  }
  return runId;
}

const fail = statement<never>(
  'test.fail',
  `UPDATE workflow_runs SET status = 'failed', finished_at = now(),
     error = '{"code":"validation_error","message":"It is too long.","step":"each[29].make"}' WHERE id = $1`,
);

const insertStep = statement<never>(
  'test.insert_step',
  `INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, input, output, started_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now())`,
);

/** Returns the database, and the number of characters that were read through it. */
function measured() {
  const read = { characters: 0 };
  const query: Db['query'] = async (prepared, values) => {
    const rows = await db.database.query(prepared, values);
    read.characters += JSON.stringify(rows).length;
    return rows;
  };
  return { query, read };
}

const simulate = (on: Db, id: string) =>
  predictRetry(on, acme.orgId, id, new TimeSlicer({ workMsMax: 60_000, takeTurn: () => Promise.resolve() }));

const large = 'x'.repeat(250_000);
const response = (name: string, text = large) => ({ status: 200, body: { name, text } });

/** A loop that failed in its last iteration, after iterations with large outputs. */
const loop = (outputOf: (index: number) => unknown): Step[] => [
  { path: 'fetch', output: response('', '') },
  { path: 'each', status: 'failed', input: { items: Array.from({ length: 30 }, (_, n) => `item ${n} `) } },
  ...Array.from({ length: 29 }, (_, n) => [
    { path: `each[${n}].call`, output: outputOf(n) },
    { path: `each[${n}].make`, output: { id: newId() } },
  ]).flat(),
  { path: 'each[29].call', output: response('n'.repeat(300)) },
  { path: 'each[29].make', status: 'failed', input: { set: {} } },
];

const fails = {
  step: 'each[29].make',
  code: 'validation_error',
  message: expect.stringContaining('first_name'),
  is_certain: true,
};

test('a verdict reads only the values of a journal that the remaining steps can see', async () => {
  const id = await failedRun(loop(() => response('Ada')));
  const { read, query } = measured();
  const { retry, latest } = await simulate({ query }, id);
  expect([retry.fails, latest!.fails]).toEqual([fails, fails]);
  expect(read.characters).toBeLessThan(4 * large.length);
});

test('a verdict on a run whose values are too large finds nothing, and does not read them', async () => {
  const fetched = { path: 'fetch', output: response('', large.repeat(17)) };
  const id = await failedRun([fetched, ...loop(() => response('Ada', '')).slice(1)]);
  const { read, query } = measured();
  const { retry, latest } = await simulate({ query }, id);
  expect(retry).toMatchObject({ version: expect.any(Number), refusal: undefined, fails: undefined });
  expect(latest).toMatchObject({ version: retry.version! + 1, refusal: undefined, fails: undefined });
  expect(read.characters).toBeLessThan(large.length);
});

test('a retry with the newest version reads no values', async () => {
  const id = await failedRun(loop(() => response('Ada')));
  const { read, query } = measured();
  expect(await reopenWithLatest({ query }, acme.orgId, id, true)).toBe(true);
  expect(read.characters).toBeLessThan(large.length);
});

test('credentials in the headers of a response stay hidden from the verdict', async () => {
  const steps = loop(() => response('Ada', ''));
  const fetched = { path: 'fetch', output: { ...response('', ''), headers: { 'set-cookie': 'n'.repeat(300) } } };
  const reading = definition();
  reading.steps[2] = { id: 'last', ...contact('${{ steps.fetch.headers["set-cookie"] }}') } as never;
  const id = await failedRun([fetched, ...steps.slice(1, -1), { path: 'each[29].make', output: { id: newId() } }]);
  await applyWorkflow({ database: db.database, bus: noopBus }, acme, reading);
  expect((await simulate(db.database, id)).latest).toMatchObject({ refusal: undefined, fails: undefined });
});
