import { createKey, createOrganization, revokeKey } from '@relata/auth';
import { newId, statement, type Statement } from '@relata/db';
import { type Actor, type Bus, noopBus, operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignWorkflow, unassignWorkflow } from './triggers/assignment.operations.ts';
import { replayDelivery } from './deliveries/delivery.operations.ts';
import { findDelivery } from './deliveries/delivery.sql.ts';
import { storeDeliveries } from './deliveries/delivery-store.sql.ts';
import { setProblemState } from './runs/problem.operations.ts';
import { cancelRun, retryFailedRuns, retryRuns } from './runs/run.operations.ts';
import { findRun } from './runs/run.sql.ts';
import { createTrigger, rotateTriggerSecret, selectTriggerKey, changeTrigger } from './triggers/trigger.operations.ts';
import { findTrigger } from './triggers/trigger.sql.ts';
import { applyWorkflow } from './definitions/workflow.operations.ts';
import { listWorkflows } from './definitions/workflow.sql.ts';

const definition = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', required: true } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } }],
};
const inputs = { email: 'payload.email' };

let db: TestDatabase;
let acme: Actor;
let globex: Actor;
beforeAll(async () => {
  db = await createTestDatabase();
  acme = operatorActor((await createOrganization(db.database, 'Acme')).id, 'test');
  globex = operatorActor((await createOrganization(db.database, 'Globex')).id, 'test');
});
afterAll(() => db[Symbol.asyncDispose]());

const waiting = statement<object>(
  '',
  `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);

const quiet = () => ({ database: db.database, bus: noopBus });

/** Creates a bus that records each message, and the result of `look` at the time of publishing. */
function lookingBus<Seen>(look: () => Promise<Seen>) {
  const published: { subject: string; message: unknown; seen: Seen }[] = [];
  const note = async ({ subject }: { subject: string }, message: unknown) =>
    void published.push({ subject, message, seen: await look() });
  const bus: Bus = { publish: note, enqueue: note };
  return { published, context: { database: db.database, bus } };
}

/** Creates a trigger that starts a workflow. */
async function makeAssigned(actor = acme) {
  const { applied } = await applyWorkflow(quiet(), actor, definition);
  const { trigger } = await createTrigger(quiet(), actor, { name: 'Form' });
  const assignment = { triggerId: trigger.id, workflowId: applied.id };
  await assignWorkflow(quiet(), actor, { ...assignment, inputs });
  return assignment;
}

/** Stores a delivery and returns its id. */
async function deliver(triggerId: string, body: string): Promise<string> {
  const stored = { orgId: acme.orgId, id: newId(), triggerId, keyHash: undefined, headers: {}, skipped: [], runs: [] };
  await storeDeliveries(db.database, [{ ...stored, body: Buffer.from(body) }]);
  return stored.id;
}

const end: Statement<never> = {
  name: 'test.end_run',
  text: `UPDATE workflow_runs SET status = $2, finished_at = now() WHERE id = $1`,
};

async function makeRun(triggerId: string, status?: 'failed' | 'succeeded'): Promise<string> {
  const id = await deliver(triggerId, '{"email":"ada@example.com"}');
  const [run] = (await replayDelivery(quiet(), acme, id)).runs;
  if (status) await db.database.query(end, [run, status]);
  return run!;
}

describe('triggers', () => {
  test('every change of a trigger is published once it is committed', async () => {
    const { triggerId, workflowId } = await makeAssigned();
    const key = await createKey(quiet(), acme, { kind: 'secret', scopes: ['webhook'] });
    const { published, context } = lookingBus(async () => (await findTrigger(db.database, acme.orgId, triggerId))!);
    await changeTrigger(context, acme, { id: triggerId, isActive: false });
    await rotateTriggerSecret(context, acme, { id: triggerId, overlapMs: 0 });
    await selectTriggerKey(context, acme, { id: triggerId, keyId: key.id });
    await applyWorkflow(context, acme, { ...definition, description: newId() });
    await unassignWorkflow(context, acme, { triggerId, workflowId });
    await assignWorkflow(context, acme, { triggerId, workflowId, inputs });
    expect(published.map(({ subject, message }) => [subject, message])).toEqual(
      Array.from({ length: 6 }, () => ['triggers.changed', { ids: expect.arrayContaining([triggerId]) }]),
    );
    expect(published.map(({ seen }) => [seen.active, seen.mode, seen.workflows.length])).toEqual([
      [false, 'unique', 1],
      [false, 'unique', 1],
      [false, 'shared', 1],
      [false, 'shared', 1],
      [false, 'shared', 0],
      [false, 'shared', 1],
    ]);
  });

  test('a trigger of another organization is not found, and nothing is published', async () => {
    const { triggerId: id, workflowId } = await makeAssigned();
    const { published, context } = lookingBus(async () => undefined);
    const assignment = { triggerId: id, workflowId };
    for (const change of [
      () => changeTrigger(context, globex, { id, isActive: false }),
      () => rotateTriggerSecret(context, globex, { id, overlapMs: 0 }),
      () => assignWorkflow(context, globex, { ...assignment, inputs }),
      () => unassignWorkflow(context, globex, assignment),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'not_found' });
    expect(published).toEqual([]);
    expect(await findTrigger(db.database, acme.orgId, id)).toMatchObject({ active: true, workflows: ['inbound-lead'] });
  });

  test('a trigger refuses a key that belongs to another organization, is revoked or lacks the scope', async () => {
    const { triggerId: id } = await makeAssigned();
    const foreign = await createKey(quiet(), globex, { kind: 'secret', scopes: ['webhook'] });
    const revoked = await createKey(quiet(), acme, { kind: 'secret', scopes: ['webhook'] });
    await revokeKey(quiet(), acme, revoked.id);
    const scopeless = await createKey(quiet(), acme, { kind: 'secret', scopes: ['chat'] });
    const codes = { [foreign.id]: 'not_found', [revoked.id]: 'validation_error', [scopeless.id]: 'validation_error' };
    for (const [keyId, code] of Object.entries(codes)) {
      await expect(selectTriggerKey(quiet(), acme, { id, keyId })).rejects.toMatchObject({ code });
      await expect(createTrigger(quiet(), acme, { name: 'x', keyId })).rejects.toMatchObject({ code });
    }
    expect(await findTrigger(db.database, acme.orgId, id)).toMatchObject({ mode: 'unique', key_id: null });
  });
});

describe('definitions', () => {
  test('a definition with faults is refused, and every fault is named', async () => {
    const faulty = {
      name: 'faulty',
      steps: [
        { id: 'a', use: 'contact.make' },
        { id: 'a', use: 'delay' },
      ],
    };
    const refused = applyWorkflow(quiet(), acme, faulty);
    await expect(refused).rejects.toMatchObject({
      code: 'validation_error',
      details: expect.arrayContaining([expect.objectContaining({ field: 'steps[0].use' })]),
      cause: { name: 'DefinitionError' },
    });
  });

  test('of two concurrent versions with the same base, one is stored, and the error for the other names the newest', async () => {
    const named = (description: string) => ({ ...definition, name: 'contested', description });
    await applyWorkflow(quiet(), acme, named('first'), { base: 0 });
    const both = await Promise.allSettled(
      ['mine', 'yours'].map((text) => applyWorkflow(quiet(), acme, named(text), { base: 1 })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict', data: { newest_version: 2 } },
    });
    await expect(applyWorkflow(quiet(), acme, named('new'), { base: 0 })).rejects.toMatchObject({ code: 'conflict' });
    const none = applyWorkflow(quiet(), globex, named('new'), { base: 1 });
    await expect(none).rejects.toMatchObject({ code: 'conflict', data: { newest_version: 0 } });
    expect(await listWorkflows(db.database, globex.orgId)).toEqual([]);
  });

  test('a definition that requires more inputs than an assignment maps names that assignment', async () => {
    const { triggerId } = await makeAssigned();
    const more = { ...definition, inputs: { ...definition.inputs, source: { type: 'string', required: true } } };
    const { incompatible } = await applyWorkflow(quiet(), acme, more);
    expect(incompatible).toContainEqual({
      trigger_id: triggerId,
      trigger: 'Form',
      problems: [expect.stringContaining('"source" is required')],
    });
    await applyWorkflow(quiet(), acme, definition);
  });
});

describe('runs', () => {
  test('the runs of a replay are put on the queue once they are committed', async () => {
    const { triggerId } = await makeAssigned();
    const id = await deliver(triggerId, '{"email":"ada@example.com"}');
    const { published, context } = lookingBus(async () => (await findDelivery(db.database, acme.orgId, id))?.runs);
    const { runs } = await replayDelivery(context, acme, id);
    expect(published).toMatchObject([
      { subject: 'runs.ready', message: { runs: [[acme.orgId, runs[0]]] }, seen: [{ id: runs[0] }] },
    ]);
    expect(await findRun(db.database, acme.orgId, runs[0]!)).toMatchObject({ delivery_id: id, replay: 1 });
  });

  test('a delivery that lacks an input starts no runs', async () => {
    const { triggerId } = await makeAssigned();
    const id = await deliver(triggerId, '{}');
    await expect(replayDelivery(quiet(), acme, id)).rejects.toMatchObject({
      code: 'validation_error',
      details: [{ message: expect.stringContaining('input "email"') }],
    });
    await expect(replayDelivery(quiet(), globex, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('runs are retried all or none, and put on the queue together', async () => {
    const { triggerId } = await makeAssigned();
    const failed = [await makeRun(triggerId, 'failed'), await makeRun(triggerId, 'failed')];
    const succeeded = await makeRun(triggerId, 'succeeded');
    const { published, context } = lookingBus(async () => undefined);
    await expect(retryRuns(context, acme, [...failed, succeeded])).rejects.toMatchObject({ code: 'conflict' });
    await expect(retryRuns(context, globex, failed)).rejects.toMatchObject({ code: 'not_found' });
    expect(published).toEqual([]);
    const statusOf = async (id: string) => (await findRun(db.database, acme.orgId, id))!.status;
    expect(await Promise.all(failed.map(statusOf))).toEqual(['failed', 'failed']);
    expect(await retryRuns(context, acme, failed)).toMatchObject(failed.map((id) => ({ id, status: 'queued' })));
    expect(published).toMatchObject([{ message: { runs: failed.map((id) => [acme.orgId, id]) } }]);
    for (const id of failed) await cancelRun(quiet(), acme, id);
  });

  test('retrying failed runs does not change the runs of another organization', async () => {
    const { triggerId } = await makeAssigned();
    const failed = await makeRun(triggerId, 'failed');
    expect(await retryFailedRuns(quiet(), globex, {})).toEqual({ retried: [], refused: [] });
    expect((await retryFailedRuns(quiet(), acme, {})).retried).toMatchObject([{ id: failed, status: 'queued' }]);
  });

  test.each([false, true])(
    'a bulk retry leaves a run that was replayed meanwhile; with the newest version: %s',
    async (isLatest) => {
      const { triggerId } = await makeAssigned();
      const failed = await makeRun(triggerId, 'failed');
      const retrying = await db.owner.transaction(async (owner) => {
        // A replay marks the run in its transaction, which commits while the retry waits for the run.
        await owner.query(statement('', 'UPDATE workflow_runs SET is_replayed = true WHERE id = $1'), [failed]);
        const asked = retryFailedRuns(quiet(), acme, { isLatest });
        await until(async () => expect(await db.owner.query(waiting, [])).toHaveLength(1));
        return { asked };
      });
      const { retried, refused } = await retrying.asked;
      expect(retried).toEqual([]);
      expect(refused).toEqual(isLatest ? [{ id: failed, message: `The run ${failed} was replayed meanwhile.` }] : []);
      expect((await findRun(db.database, acme.orgId, failed))!.status).toBe('failed');
      expect(await retryRuns(quiet(), acme, [failed])).toMatchObject([{ id: failed, status: 'queued' }]);
      await cancelRun(quiet(), acme, failed);
    },
  );

  test('the event of a problem is written under the lock of its workflow, so that events of the workflow stay in order', async () => {
    const { triggerId, workflowId } = await makeAssigned();
    const failed = await makeRun(triggerId, 'failed');
    await db.owner.query(statement('', `UPDATE workflow_runs SET error = '{"step":"log","code":"x"}' WHERE id = $1`), [
      failed,
    ]);
    const { resolving } = await db.owner.transaction(async (owner) => {
      await owner.query(statement('', 'SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE'), [workflowId]);
      const asked = setProblemState(quiet(), acme, { workflowId, step: 'log', code: 'x', state: 'resolved' });
      await until(async () => expect(await db.owner.query(waiting, [])).toHaveLength(1));
      return { resolving: asked };
    });
    expect(await resolving).toMatchObject({ workflow_id: workflowId, state: 'resolved' });
  });

  test('runs that have ended are not cancelled', async () => {
    const { triggerId } = await makeAssigned();
    const id = await makeRun(triggerId);
    await expect(cancelRun(quiet(), globex, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await cancelRun(quiet(), acme, id)).toMatchObject({ id, status: 'cancelled' });
    await expect(cancelRun(quiet(), acme, id)).rejects.toMatchObject({ code: 'conflict' });
  });
});
