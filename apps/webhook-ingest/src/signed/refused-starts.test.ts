import { statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { until } from '@relata/testing';
import { assignWorkflow, unassignWorkflow } from '@relata/workflows';
import { replayDelivery, replayFailedPage, replayFailedRuns } from '@relata/workflows/deliveries';
import { listProblems, setProblemState } from '@relata/workflows/runs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../webhook-ingest.harness.ts';
import { postHeaders, type SignedTrigger, startSignedReceiver } from './signed.harness.ts';

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
beforeAll(async () => void (receiver = await startSignedReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const email = { type: 'string', format: 'email', required: true };

const context = () => ({ database: receiver.db.database, bus: noopBus });
const operator = () => operatorActor(receiver.orgId, 'test');
const problemsOf = async (workflowId: string) =>
  (await listProblems(receiver.db.database, receiver.orgId)).problems.filter((each) => each.workflow_id === workflowId);

/**
 * Creates a trigger with a workflow that requires an email address, but is mapped to `payload.email`, which the
 * deliveries do not have.
 */
async function makeRefusing(name: string) {
  const target = await receiver.newSignedTrigger({ kind: 'github' });
  const workflowId = await receiver.assign(target.id, { name, inputs: { email } }, { email: 'payload.email' });
  return { target, workflowId };
}

async function send(target: SignedTrigger, body: string): Promise<void> {
  const response = await post(receiver.url, target.id, { body, headers: postHeaders(target, { body }) });
  expect(response.status).toBe(202);
}

const repair = ({ id }: SignedTrigger, workflowId: string) =>
  assignWorkflow(context(), operator(), { triggerId: id, workflowId, inputs: { email: 'payload.user.email' } });

const runsOf = async (workflowId: string) => (await receiver.runs()).filter((run) => run.workflow_id === workflowId);

test('deliveries without a required input are one problem; after the mapping is repaired, its replay starts each of them once (acceptance S.12)', async () => {
  const { target, workflowId } = await makeRefusing('person');
  const addresses = Array.from({ length: 60 }, (_, i) => `p${i}@acme.example`);
  await Promise.all(addresses.map((address) => send(target, JSON.stringify({ user: { email: address } }))));
  await send(target, '{"email":"no address","user":{"email":"last@acme.example"}}');
  await until(async () =>
    expect(await problemsOf(workflowId)).toMatchObject([
      {
        workflow: 'person',
        code: 'required',
        step: `${target.id}/email`,
        refused: { trigger_id: target.id, trigger: 'github', input: 'email' },
        runs: 60,
        message: 'input "email" (from payload.email) is required',
        state: 'open',
      },
      { code: 'invalid_format', runs: 1 },
    ]),
  );
  const cause = { workflowId, step: `${target.id}/email`, code: 'required' };
  const early = await replayFailedPage(context(), operator(), { ...cause, limit: 2 });
  expect(early).toMatchObject({ started: [], refused: [{ message: expect.stringContaining('"email"') }, {}] });
  await repair(target, workflowId);
  const replays = await Promise.all([1, 2].map(() => replayFailedRuns(context(), operator(), cause)));
  expect(replays.flatMap(({ started }) => started)).toHaveLength(60);
  expect(replays.flatMap(({ refused }) => refused)).toEqual([]);
  const inputs = (await runsOf(workflowId)).map((run) => run.inputs['email']);
  expect(inputs).toHaveLength(60);
  expect(new Set(inputs)).toEqual(new Set(addresses));
  expect(await problemsOf(workflowId)).toMatchObject([{ code: 'invalid_format' }]);
  expect((await replayFailedRuns(context(), operator(), cause)).started).toEqual([]);
});

test('a replay starts only the workflows that a delivery lists as refused, or all workflows on request', async () => {
  const { target, workflowId } = await makeRefusing('refusing');
  const other = await receiver.assign(target.id, { name: 'other', inputs: {} }, {});
  await send(target, '{"user":{"email":"a@acme.example"}}');
  const { id } = (await receiver.deliveries()).find((row) => row.trigger_id === target.id)!;
  const replay = (isWhole = false) => replayDelivery(context(), operator(), id, { isWhole });
  await expect(replay()).rejects.toMatchObject({ code: 'validation_error', details: [{ code: 'required' }] });
  const whole = await replay(true);
  expect(whole).toMatchObject({
    runs: [expect.any(String)],
    skipped: [{ workflow_id: workflowId, reason: 'refused' }],
  });
  await repair(target, workflowId);
  const replays = await Promise.allSettled([replay(), replay()]);
  const [fulfilled, rejected] = ['fulfilled', 'rejected'].map((each) =>
    replays.filter(({ status }) => status === each),
  );
  expect([fulfilled!.length, rejected]).toEqual([
    1,
    [{ status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) }],
  ]);
  expect(await runsOf(workflowId)).toHaveLength(1);
  expect(await runsOf(other)).toHaveLength(2);
  const stored = (await receiver.deliveries()).find((row) => row.id === id);
  // Earlier releases would start workflows with the reason `refused` again.
  expect(stored!.skipped).toEqual([{ workflow_id: workflowId, reason: 'replayed' }]);
  await expect(replay()).rejects.toMatchObject({ code: 'conflict' });
  expect((await replay(true)).runs).toHaveLength(2);
  expect([await runsOf(workflowId), await runsOf(other)].map((runs) => runs.length)).toEqual([2, 3]);
});

const stored = async (id: string) => (await receiver.deliveries()).find((row) => row.id === id)!;

/** Sends a delivery that one of two workflows refuses. `assign` assigns this workflow with a repaired mapping. */
async function refuse(name: string) {
  const { target, workflowId } = await makeRefusing(name);
  await receiver.assign(target.id, { name: `beside-${name}`, inputs: {} }, {});
  await send(target, '{"n":1,"user":{"email":"a@acme.example"}}');
  const { id } = (await receiver.deliveries()).find((row) => row.trigger_id === target.id)!;
  const assign = (given: { email?: string; filter?: string } = {}) => {
    const { email: from = 'payload.user.email', ...filter } = given;
    return assignWorkflow(context(), operator(), {
      triggerId: target.id,
      workflowId,
      inputs: { email: from },
      ...filter,
    });
  };
  return {
    target,
    workflowId,
    id,
    assign,
    replay: (isWhole = false) => replayDelivery(context(), operator(), id, { isWhole }),
  };
}

test.each([
  {
    name: 'excluded',
    message: 'The current filter of the workflow excludes the delivery.',
    leave: ({ assign }: Awaited<ReturnType<typeof refuse>>) => assign({ filter: 'payload.n == 2' }),
  },
  {
    name: 'no longer assigned',
    message: 'The trigger github no longer starts this workflow.',
    leave: ({ target, workflowId }: Awaited<ReturnType<typeof refuse>>) =>
      unassignWorkflow(context(), operator(), { triggerId: target.id, workflowId }),
  },
])(
  'a replay does not start a refused workflow that is $name, and says why; after a repair, a replay starts it once',
  async ({ name, message, leave }) => {
    const refused = await refuse(name.replaceAll(' ', '-'));
    const { workflowId, id, assign, replay } = refused;
    await leave(refused);
    for (const _ of [1, 2]) {
      expect((await replay()).runs).toEqual([]);
      expect((await stored(id)).skipped).toEqual([{ workflow_id: workflowId, reason: 'replayed', message }]);
    }
    expect(await problemsOf(workflowId)).toEqual([]);
    await assign();
    expect((await replay()).runs).toHaveLength(1);
    expect(await runsOf(workflowId)).toHaveLength(1);
    expect((await stored(id)).skipped).toEqual([{ workflow_id: workflowId, reason: 'replayed' }]);
    await expect(replay()).rejects.toMatchObject({ code: 'conflict' });
  },
);

test('if a filter fails in a replay, the problem stays, and a replay with a repaired filter starts the workflow', async () => {
  const { workflowId, id, assign, replay } = await refuse('failing');
  const { skipped } = await stored(id);
  await assign({ filter: 'payload.n.size() > 1' });
  expect(await replay()).toMatchObject({ runs: [], skipped: [{ workflow_id: workflowId, reason: 'filter_failed' }] });
  expect((await stored(id)).skipped).toEqual(skipped);
  expect(await problemsOf(workflowId)).toMatchObject([{ code: 'required', runs: 1 }]);
  await assign();
  expect((await replay()).runs).toHaveLength(1);
  expect(await problemsOf(workflowId)).toEqual([]);
});

test('a workflow that a replay excluded is listed as started once all workflows were replayed', async () => {
  const { workflowId, id, assign, replay } = await refuse('whole');
  await assign({ filter: 'payload.n == 2' });
  await replay();
  await assign();
  expect((await replay(true)).runs).toHaveLength(2);
  expect((await stored(id)).skipped).toEqual([{ workflow_id: workflowId, reason: 'replayed' }]);
});

test('a workflow that a replay excluded is a problem again if its next replay lacks an input', async () => {
  const { workflowId, id, assign, replay } = await refuse('again');
  await assign({ filter: 'payload.n == 2' });
  await replay();
  await assign({ email: 'payload.email', filter: 'payload.n == 1' });
  expect(await replay(true)).toMatchObject({ runs: [expect.any(String)] });
  expect((await stored(id)).skipped).toMatchObject([{ workflow_id: workflowId, reason: 'refused' }]);
  expect(await problemsOf(workflowId)).toMatchObject([{ code: 'required', runs: 1 }]);
});

test('a workflow that a replay excluded is a problem again if its next replay is refused for all workflows', async () => {
  const { workflowId, id, assign, replay } = await refuse('refused-again');
  await assign({ filter: 'payload.n == 2' });
  await replay();
  expect(await problemsOf(workflowId)).toEqual([]);
  await assign({ email: 'payload.n' });
  await expect(replay()).rejects.toMatchObject({ code: 'validation_error', details: [{ code: 'invalid_format' }] });
  expect((await stored(id)).skipped).toMatchObject([{ workflow_id: workflowId, reason: 'refused' }]);
  expect(await problemsOf(workflowId)).toMatchObject([{ code: 'invalid_format', runs: 1 }]);
});

test('a resolved problem of refused starts is opened again by the next refused start', async () => {
  const { target, workflowId } = await makeRefusing('resolved');
  await send(target, '{"n":1}');
  const cause = { workflowId, step: `${target.id}/email`, code: 'required' };
  await setProblemState(context(), operator(), { ...cause, state: 'resolved' });
  expect(await problemsOf(workflowId)).toMatchObject([{ state: 'resolved', runs: 1 }]);
  await send(target, '{"n":2}');
  expect(await problemsOf(workflowId)).toMatchObject([{ state: 'open', runs: 2, put_aside: { runs_since: 1 } }]);
});

test('deliveries that a filter now excludes are removed from the problem when it is replayed', async () => {
  const { target, workflowId } = await makeRefusing('excluded');
  await send(target, '{"n":1}');
  await receiver.assign(
    target.id,
    { name: 'excluded', inputs: { email } },
    { email: 'payload.email' },
    'has(payload.email)',
  );
  const cause = { workflowId, step: `${target.id}/email`, code: 'required' };
  const page = await replayFailedPage(context(), operator(), cause);
  expect(page).toMatchObject({
    started: [],
    refused: [{ message: 'The current filter of the workflow excludes the delivery.' }],
  });
  expect(await problemsOf(workflowId)).toEqual([]);
});

const refuseElsewhere = statement<never>(
  'test.refuse_elsewhere',
  `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, skipped, has_refused)
   SELECT $1, uuidv7(), $2, '{}', '{}', '[]', true FROM generate_series(1, 10000)`,
);

test('a replay of a problem finds its deliveries among 10,000 newer deliveries of other problems', async () => {
  const { target, workflowId } = await makeRefusing('behind');
  await send(target, '{"user":{"email":"a@acme.example"}}');
  const other = await receiver.newSignedTrigger({ kind: 'github' });
  await receiver.db.database.query(refuseElsewhere, [receiver.orgId, other.id]);
  await repair(target, workflowId);
  const cause = { workflowId, step: `${target.id}/email`, code: 'required' };
  const first = await replayFailedPage(context(), operator(), cause);
  expect(first).toEqual({ started: [], refused: [], next: expect.any(String) });
  expect((await replayFailedRuns(context(), operator(), cause)).started).toHaveLength(1);
  expect(await runsOf(workflowId)).toHaveLength(1);
});
