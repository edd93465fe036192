import { createKey, createOrganization, hashCredential } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { type Actor, organizationActor, noopBus, type OperationContext } from '@relata/events';
import { createTestDatabase, type TestDatabase, failingAtCommit } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { applyWorkflow } from './definitions/workflow.operations.ts';
import { listWorkflows } from './definitions/workflow.sql.ts';
import { replayDelivery } from './deliveries/delivery.operations.ts';
import { storeDeliveries } from './deliveries/delivery-store.sql.ts';
import { cancelRun, retryFailedRuns, retryRuns } from './runs/run.operations.ts';
import { assignWorkflow, unassignWorkflow } from './triggers/assignment.operations.ts';
import { listAssignments } from './triggers/assignment.sql.ts';
import { createTrigger, rotateTriggerSecret, selectTriggerKey, changeTrigger } from './triggers/trigger.operations.ts';
import { listTriggers } from './triggers/trigger.sql.ts';
import { listTriggerSecrets } from './triggers/trigger-secret.sql.ts';

const definition = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', required: true }, source: { type: 'string' } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}, tok-5ecret-step' } }],
};
const inputs = { email: 'payload.email', source: { const: 'tok-5ecret-constant' } };
const filter = 'payload.token == "tok-5ecret-filter"';

let db: TestDatabase;
let acme: Actor;
let globex: Actor;
/** In Acme: a trigger with its secret, the workflow that it starts, and an API key that the trigger can use instead. */
let made: { id: string; keyId: string; triggerId: string; workflowId: string; secret: string };

const userIn = (orgId: string): Actor =>
  organizationActor({ kind: 'user', userId: 'ada', name: 'Ada', requestId: 'clicked' }, orgId);

beforeAll(async () => void (db = await createTestDatabase()));
beforeEach(async () => {
  acme = userIn((await createOrganization(db.database, 'Acme')).id);
  globex = userIn((await createOrganization(db.database, 'Globex')).id);
  const { applied } = await applyWorkflow(context(), acme, definition);
  const { trigger, secret } = await createTrigger(context(), acme, { name: 'Form' });
  const key = await createKey(context(), acme, { kind: 'secret', scopes: ['webhook'] });
  const { id } = trigger;
  await assignWorkflow(context(), acme, { triggerId: id, workflowId: applied.id, inputs, filter });
  made = { id, keyId: key.id, triggerId: id, workflowId: applied.id, secret: secret! };
});
afterAll(() => db[Symbol.asyncDispose]());

const context = (): OperationContext => ({ database: db.database, bus: noopBus });

const select = statement<Record<string, unknown>>(
  'test.events',
  'SELECT type, record_id, actor, request_id, changed, previous, record FROM events WHERE org_id = $1 ORDER BY seq',
);
const eventsOf = ({ orgId }: Actor) => db.database.query(select, [orgId]);
const by = { actor: { type: 'user', id: 'ada', name: 'Ada' }, request_id: 'clicked' };

/** Returns the events that `work` writes. */
async function eventsDuring(work: () => Promise<unknown>) {
  const before = (await eventsOf(acme)).length;
  await work();
  return (await eventsOf(acme)).slice(before);
}

const assign = (more: object = {}) => assignWorkflow(context(), acme, { ...assignment(), inputs, filter, ...more });
const assignment = () => ({ triggerId: made.triggerId, workflowId: made.workflowId });

test('creating a workflow, a trigger and an assignment writes an event each', async () => {
  const [applied, created, key, assigned, ...more] = await eventsOf(acme);
  const { workflowId, id } = made;
  const times = { created_at: expect.any(String), updated_at: expect.any(String) };
  const nothing = { changed: null, previous: null };
  expect(applied).toEqual({
    ...by,
    ...nothing,
    type: 'workflow.applied',
    record_id: workflowId,
    record: { id: workflowId, name: 'inbound-lead', version: 1, ...times },
  });
  expect(created).toEqual({
    ...by,
    ...nothing,
    type: 'trigger.created',
    record_id: id,
    record: { id, name: 'Form', mode: 'unique', active: true, ...times },
  });
  expect(key).toMatchObject({ type: 'api_key.created' });
  expect(assigned).toEqual({
    ...by,
    ...nothing,
    type: 'trigger.assigned',
    record_id: id,
    record: { id, name: 'Form', workflow_id: workflowId, workflow: 'inbound-lead', inputs: { email: 'payload.email' } },
  });
  expect(more).toEqual([]);
});

test('a new version writes an event with the previous version; an unchanged definition writes none', async () => {
  const events = await eventsDuring(async () => {
    await applyWorkflow(context(), acme, definition);
    for (let i = 0; i < 2; i++) await applyWorkflow(context(), acme, { ...definition, max_running: 3 });
  });
  const change = { changed: ['version', 'max_running', 'definition'], previous: { version: 1 } };
  const record = { version: 2, max_running: 3 };
  expect(events).toMatchObject([{ ...by, type: 'workflow.applied', record_id: made.workflowId, ...change, record }]);
});

test('disabling a trigger writes an event; disabling it again writes none', async () => {
  const events = await eventsDuring(async () => {
    for (let i = 0; i < 2; i++) await changeTrigger(context(), acme, { id: made.id, isActive: false });
  });
  const change = { changed: ['active'], previous: { active: true }, record: { active: false } };
  expect(events).toMatchObject([{ ...by, type: 'trigger.updated', record_id: made.id, ...change }]);
});

test('selecting a key for a trigger writes an event with the id of the key; selecting it again writes none', async () => {
  const events = await eventsDuring(async () => {
    for (let i = 0; i < 2; i++) await selectTriggerKey(context(), acme, { id: made.id, keyId: made.keyId });
  });
  const change = { changed: ['mode', 'key_id'], previous: { mode: 'unique' }, record: { key_id: made.keyId } };
  expect(events).toMatchObject([{ ...by, type: 'trigger.updated', ...change }]);
});

test('rotating a secret writes an event with the expiry of the previous secret', async () => {
  const events = await eventsDuring(() => rotateTriggerSecret(context(), acme, { id: made.id, overlapMs: 60_000 }));
  const [, old] = await listTriggerSecrets(db.database, acme.orgId, made.id);
  const record = { id: made.id, name: 'Form', old_secrets_expire_at: old!.expires_at };
  expect(events).toMatchObject([
    { ...by, type: 'trigger.secret_rotated', record_id: made.id, changed: ['secret'], previous: {}, record },
  ]);
});

test('replacing an assignment writes an event that names the changes and shows only paths', async () => {
  const events = await eventsDuring(async () => {
    await assign();
    await assign({ filter: undefined });
    await assign({ inputs: { email: 'payload.mail', source: { const: 'tok-5ecret-other' } }, filter: undefined });
  });
  const about = { ...by, type: 'trigger.assigned', record_id: made.id };
  expect(events).toMatchObject([
    { ...about, changed: ['filter'], previous: {}, record: { inputs: { email: 'payload.email' } } },
    {
      ...about,
      changed: ['inputs', 'constants'],
      previous: { inputs: { email: 'payload.email' } },
      record: { inputs: { email: 'payload.mail' } },
    },
  ]);
});

test('ending an assignment writes an event with that assignment', async () => {
  const events = await eventsDuring(() => unassignWorkflow(context(), acme, assignment()));
  const record = { id: made.id, workflow_id: made.workflowId, inputs: { email: 'payload.email' } };
  expect(events).toMatchObject([
    { ...by, type: 'trigger.unassigned', record_id: made.id, changed: null, previous: null, record },
  ]);
});

type Change = (given: OperationContext, actor: Actor) => Promise<unknown>;
const changes: [string, Change][] = [
  ['applyWorkflow', (given, actor) => applyWorkflow(given, actor, { ...definition, description: 'Another.' })],
  ['createTrigger', (given, actor) => createTrigger(given, actor, { name: 'Other' })],
  ['changeTrigger', (given, actor) => changeTrigger(given, actor, { id: made.id, isActive: false })],
  ['rotateTriggerSecret', (given, actor) => rotateTriggerSecret(given, actor, { id: made.id, overlapMs: 0 })],
  ['selectTriggerKey', (given, actor) => selectTriggerKey(given, actor, { id: made.id, keyId: made.keyId })],
  [
    'assignWorkflow',
    (given, actor) => assignWorkflow(given, actor, { ...assignment(), inputs: { email: 'payload.x' } }),
  ],
  ['unassignWorkflow', (given, actor) => unassignWorkflow(given, actor, assignment())],
];

const stateOf = async ({ orgId }: Actor) => [
  await listWorkflows(db.database, orgId),
  await listTriggers(db.database, orgId),
  await listTriggerSecrets(db.database, orgId, made.id),
  await listAssignments(db.database, orgId, made.id),
  await eventsOf({ ...acme, orgId }),
];

test.each(changes)('%s changes nothing if its event cannot be written', async (_name, change) => {
  const before = await stateOf(acme);
  const alter = (text: string) => db.owner.query(statement<never>('', `ALTER TABLE events ${text}`), []);
  await alter('ADD CONSTRAINT no_events CHECK (false) NOT VALID');
  try {
    await expect(change(context(), acme)).rejects.toThrow('no_events');
  } finally {
    await alter('DROP CONSTRAINT no_events');
  }
  expect(await stateOf(acme)).toEqual(before);
});

test.each(changes)('%s that is rolled back has no event', async (_name, change) => {
  const before = await stateOf(acme);
  const failing = change({ database: failingAtCommit(db.database), bus: noopBus }, acme);
  await expect(failing).rejects.toThrow('rolled back');
  expect(await stateOf(acme)).toEqual(before);
});

test("a refused change, and one of another organization's trigger, writes no event", async () => {
  const before = await stateOf(acme);
  for (const [, change] of changes.slice(2))
    await expect(change(context(), globex)).rejects.toMatchObject({ code: 'not_found' });
  await expect(applyWorkflow(context(), acme, { name: 'x' })).rejects.toMatchObject({ code: 'validation_error' });
  await expect(assign({ inputs: {} })).rejects.toMatchObject({ code: 'validation_error' });
  expect(await stateOf(acme)).toEqual(before);
  expect(await eventsOf(globex)).toEqual([]);
});

test('concurrent changes of one trigger have their events in the order in which they take effect', async () => {
  const flip = (isActive: boolean) => changeTrigger(context(), acme, { id: made.id, isActive });
  const events = await eventsDuring(() => Promise.all(Array.from({ length: 16 }, (_, i) => flip(i % 2 > 0))));
  const states = events.map(({ previous, record }) => [previous, record]);
  expect(states.length).toBeGreaterThan(0);
  expect(states).toMatchObject(states.map((_, i) => [{ active: i % 2 === 0 }, { active: i % 2 > 0 }]));
});

test('no event contains a secret, its hash, a definition, a filter or a constant', async () => {
  const secrets = [made.secret];
  for (let i = 0; i < 2; i++)
    secrets.push((await rotateTriggerSecret(context(), acme, { id: made.id, overlapMs: 60_000 })).secret!);
  for (const [, change] of changes.filter(([name]) => name !== 'rotateTriggerSecret')) await change(context(), acme);
  const text = JSON.stringify(await eventsOf(acme));
  for (const secret of secrets) {
    const hash = hashCredential(secret);
    for (const hidden of [secret, secret.slice(-20), hash, Buffer.from(hash, 'hex').toString('base64')])
      expect(text).not.toContain(hidden);
  }
  expect(text).not.toMatch(/5ecret|secret_hash|last_four|relata_/);
});

test('the events of a trigger contain its repeat key, even when the key is removed', async () => {
  const key = 'delivery.headers["x-github-delivery"]';
  const events = await eventsDuring(async () => {
    const { trigger } = await createTrigger(context(), acme, { name: 'GitHub', repeatKey: key });
    const change = (repeatKey: string | null) => changeTrigger(context(), acme, { id: trigger.id, repeatKey });
    expect(await change('payload.id')).toMatchObject({ repeat_key: 'payload.id' });
    await change('payload.id');
    expect(await change(null)).toMatchObject({ repeat_key: null });
  });
  expect(events).toMatchObject([
    { type: 'trigger.created', record: { repeat_key: key } },
    { type: 'trigger.updated', changed: ['repeat_key'], previous: { repeat_key: key } },
    { type: 'trigger.updated', changed: ['repeat_key'], previous: { repeat_key: 'payload.id' } },
  ]);
});

test('replaying a delivery and cancelling or retrying a run write events with the actor', async () => {
  const [id, body] = [newId(), Buffer.from('{"email":"ada@example.com","token":"tok-5ecret-of-a-body"}')];
  const delivery = { orgId: acme.orgId, id, triggerId: made.id, keyHash: undefined, body, headers: {} };
  await storeDeliveries(db.database, [{ ...delivery, skipped: [], runs: [] }]);
  await assign({ filter: undefined });
  const events = await eventsDuring(async () => {
    const [run] = (await replayDelivery(context(), acme, id)).runs;
    await cancelRun(context(), acme, run!);
    await expect(cancelRun(context(), acme, run!)).rejects.toMatchObject({ code: 'conflict' });
    await expect(retryRuns(context(), acme, [run!])).rejects.toMatchObject({ code: 'conflict' });
    const fail = statement<never>('test.fail', `UPDATE workflow_runs SET status = 'failed' WHERE id = $1`);
    for (const retry of [() => retryRuns(context(), acme, [run!]), () => retryFailedRuns(context(), acme, {})]) {
      await db.database.query(fail, [run]);
      await retry();
    }
  });
  const queued = { changed: ['status'], previous: { status: 'failed' }, record: { status: 'queued' } };
  expect(events).toMatchObject([
    { ...by, type: 'delivery.replayed', record_id: id, record: { name: 'Form', trigger_id: made.id } },
    { ...by, type: 'run.cancelled', previous: { status: 'queued' }, record: { name: 'inbound-lead' } },
    { ...by, type: 'run.retried', ...queued },
    { ...by, type: 'run.retried', ...queued },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/5ecret|ada@/);
});

test('a repeat key is checked when it is saved, and another organization cannot change it', async () => {
  const faults = {
    'payload.id ==': 'line 1, column 14',
    'inputs.id': 'inputs is not defined here.',
    '[payload.id]': 'must be a string or a number',
    'payload.id == "x"': 'must be a string or a number',
    'delivery.id': 'has no field id',
    ['x'.repeat(2_001)]: 'longer than 2000 characters',
  };
  for (const [repeatKey, said] of Object.entries(faults)) {
    const details = [{ field: 'repeatKey', code: 'invalid_format', message: expect.stringContaining(said) }];
    await expect(createTrigger(context(), acme, { name: 'x', repeatKey })).rejects.toMatchObject({ details });
    await expect(changeTrigger(context(), acme, { id: made.id, repeatKey })).rejects.toMatchObject({ details });
  }
  await expect(changeTrigger(context(), globex, { id: made.id, repeatKey: 'payload.id' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
