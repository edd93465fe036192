import { randomUUID } from 'node:crypto';
import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';

const make = { id: 'make', use: 'account.create', with: { set: { account_name: '${{ run.id }}' } } };
const log = { id: 'log', use: 'activity.create', with: { content: '${{ steps.make.id }}' } };
const inputs = { account: { type: 'string' } };

/** Key of the advisory lock that serves as a gate: while it is held, no account can be created. */
const gateKey = 4_242;
const addGate = [
  `CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS
   $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${gateKey}); RETURN NULL; END $$`,
  'CREATE TRIGGER gate BEFORE INSERT ON accounts FOR EACH STATEMENT EXECUTE FUNCTION pass_gate()',
];
const close = statement<never>('', `SELECT pg_advisory_xact_lock(${gateKey})`);
const held = statement<{ pid: number }>(
  'test.at_gate',
  `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${gateKey} AND NOT granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
);

/** Runs `work` while a shared transaction waits at the gate. */
async function atGate({ owner }: Workflows, begin: () => Promise<unknown>, work: (pid: number) => Promise<unknown>) {
  for (const text of addGate) await owner.query(statement('', text), []);
  await owner.transaction(async (db) => {
    await db.query(close, []);
    await begin();
    const pid = await until(async () => {
      const [waiting] = await owner.query(held, []);
      expect(waiting).toBeDefined();
      return waiting!.pid;
    });
    await work(pid);
  });
}

const effects = statement<{ accounts: number; activities: number; events: number; transactions: number }>(
  'test.effects',
  `SELECT (SELECT count(*) FROM accounts WHERE org_id = $1) AS accounts,
     (SELECT count(*) FROM custom_activities WHERE org_id = $1) AS activities,
     (SELECT count(*) FROM events WHERE org_id = $1 AND actor ->> 'type' = 'run') AS events,
     (SELECT count(DISTINCT xmin::text) FROM workflow_run_steps WHERE org_id = $1) AS transactions`,
);
const effectsOf = async ({ database, orgId }: Workflows) => (await database.query(effects, [orgId]))[0]!;

async function deliverMany(workflows: Workflows, definition: object, count: number) {
  const id = await workflows.apply(definition);
  return Promise.all(Array.from({ length: count }, () => workflows.deliver(id, { isSilent: true })));
}

const allReach = (workflows: Workflows, runs: readonly string[]) =>
  Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));

test('many runs share their commits, and each event names its run and its step', async () => {
  await using workflows = await startWorkflows();
  const runs = await deliverMany(workflows, { name: 'sharing', inputs, steps: [make, log] }, 32);
  await workflows.openWorker({ concurrency: 64 });
  await allReach(workflows, runs);
  expect(await effectsOf(workflows)).toMatchObject({ accounts: 32, activities: 32, events: 64 });
  expect((await effectsOf(workflows)).transactions).toBeLessThan(8);
  const strangers = statement<never>(
    'test.strangers',
    `SELECT e.id FROM events e LEFT JOIN workflow_run_steps s
       ON s.org_id = e.org_id AND s.run_id::text = e.actor ->> 'id' AND s.path = e.actor ->> 'step'
         AND s.output ->> 'id' = e.record_id::text
     WHERE e.org_id = $1 AND e.actor ->> 'type' = 'run' AND s.path IS NULL`,
  );
  expect(await workflows.database.query(strangers, [workflows.orgId])).toEqual([]);
});

test('a run that is cancelled within a shared transaction commits nothing, and the other runs commit everything once', async () => {
  await using workflows = await startWorkflows();
  const runs = await deliverMany(workflows, { name: 'cancelled', inputs, steps: [make, log] }, 10);
  const begin = () => workflows.openWorker({ concurrency: 64 });
  await atGate(workflows, begin, () => workflows.cancel(runs[3]!));
  await allReach(workflows, runs.toSpliced(3, 1));
  expect(await workflows.runOf(runs[3]!)).toMatchObject({ status: 'cancelled', steps: [] });
  expect(await effectsOf(workflows)).toMatchObject({ accounts: 9, activities: 9, events: 18 });
});

test('no step is executed twice if another worker takes over a run meanwhile', async () => {
  await using workflows = await startWorkflows();
  const runs = await deliverMany(workflows, { name: 'superseded', inputs, steps: [make, log] }, 10);
  const begin = () => workflows.openWorker({ concurrency: 64 });
  const takeOver = statement<never>(
    'test.take_over',
    'UPDATE workflow_runs SET epoch = epoch + 1, due_at = now() WHERE org_id = $1 AND id = ANY ($2)',
  );
  await atGate(workflows, begin, () => workflows.database.query(takeOver, [workflows.orgId, [runs[2], runs[7]]]));
  await allReach(workflows, runs);
  expect(await effectsOf(workflows)).toMatchObject({ accounts: 10, activities: 10, events: 20 });
});

test('after a connection breaks in the middle of a shared transaction, every effect exists once (G7)', async () => {
  await using workflows = await startWorkflows();
  const runs = await deliverMany(workflows, { name: 'broken', inputs, steps: [make, log] }, 10);
  const begin = () => workflows.openWorker({ concurrency: 64 });
  const end = statement<never>('', 'SELECT pg_terminate_backend($1)');
  await atGate(workflows, begin, (pid) => workflows.owner.query(end, [pid]));
  await allReach(workflows, runs);
  expect(await effectsOf(workflows)).toMatchObject({ accounts: 10, activities: 10, events: 20 });
});

test('a statement that fails for one run fails no other', async () => {
  await using workflows = await startWorkflows();
  const check = "ALTER TABLE accounts ADD CONSTRAINT no_trouble CHECK (account_name <> 'trouble')";
  await workflows.owner.query(statement('', check), []);
  const trouble = { id: 'make', use: 'account.create', with: { set: { account_name: 'trouble' } } };
  const runs = await deliverMany(workflows, { name: 'fine', inputs, steps: [make, log] }, 10);
  const bad = await deliverMany(workflows, { name: 'bad', inputs, steps: [{ ...make, id: 'first' }, trouble] }, 2);
  await workflows.openWorker({ concurrency: 64 });
  await allReach(workflows, runs);
  for (const run of bad) {
    const { error, steps } = await workflows.reached(run, 'failed');
    expect(error).toMatchObject({ code: 'internal_error', step: 'make' });
    expect(steps.map(({ path, status }) => [path, status])).toEqual([
      ['first', 'succeeded'],
      ['make', 'failed'],
    ]);
  }
  expect(await effectsOf(workflows)).toMatchObject({ accounts: 12, activities: 10, events: 22 });
});

test('a step that fails after it has written leaves no effect, also if other steps preceded it in the transaction', async () => {
  await using workflows = await startWorkflows();
  // Whenever a link to an account is cleared, this trigger links another contact to the account, as another run of the
  // transaction might do.
  const relink = [
    `CREATE FUNCTION link_another() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN
       INSERT INTO contacts (org_id, id, first_name, last_name, account_id)
       VALUES (OLD.org_id, uuidv7(), 'Ada', 'Lovelace', OLD.account_id);
       RETURN NULL;
     END $$`,
    'CREATE TRIGGER link_another AFTER UPDATE ON contacts FOR EACH ROW EXECUTE FUNCTION link_another()',
  ];
  for (const text of relink) await workflows.owner.query(statement('', text), []);
  await workflows.openWorker();
  const set = { first_name: 'Ada', last_name: 'Lovelace', account_id: '${{ steps.make.id }}' };
  const steps = [
    make,
    { id: 'linked', use: 'contact.create', with: { set } },
    { id: 'gone', use: 'account.delete', on_error: 'continue', with: { id: '${{ steps.make.id }}' } },
    log,
  ];
  const run = await workflows.run({ name: 'late', inputs, steps });
  expect(run.steps.map(({ path, status, error }) => [path, status, error?.code])).toEqual([
    ['make', 'succeeded', undefined],
    ['linked', 'succeeded', undefined],
    ['gone', 'failed', 'conflict'],
    ['log', 'succeeded', undefined],
  ]);
  const written = statement<{ contacts: number; links: number }>(
    'test.written',
    `SELECT (SELECT count(*) FROM contacts WHERE org_id = $1) AS contacts,
       (SELECT count(*) FROM trash_links WHERE org_id = $1) AS links`,
  );
  expect(await workflows.database.query(written, [workflows.orgId])).toEqual([{ contacts: 1, links: 0 }]);
  expect(await effectsOf(workflows)).toMatchObject({ accounts: 1, activities: 1, events: 3 });
});

test.each([
  [100, 1],
  [101, 3],
])('a run whose second step deletes a record with %i links takes %i transactions', async (links, transactions) => {
  await using workflows = await startWorkflows();
  const account = randomUUID();
  const insert = [
    `INSERT INTO accounts (org_id, id, account_name) VALUES ('${workflows.orgId}', '${account}', 'Large')`,
    `INSERT INTO contacts (org_id, id, first_name, last_name, account_id)
     SELECT '${workflows.orgId}', uuidv7(), 'Ada', 'Lovelace', '${account}' FROM generate_series(1, ${links})`,
  ];
  for (const text of insert) await workflows.owner.query(statement('', text), []);
  await workflows.openWorker();
  const steps = [make, { id: 'gone', use: 'account.delete', with: { id: account } }, log];
  const run = await workflows.run({ name: 'large', inputs, steps });
  expect(run.steps.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(await effectsOf(workflows)).toMatchObject({ accounts: 1, activities: 1, transactions });
  const unlinked = statement<{ n: number }>(
    'test.unlinked',
    'SELECT count(*) AS n FROM contacts WHERE org_id = $1 AND account_id IS NULL',
  );
  expect(await workflows.database.query(unlinked, [workflows.orgId])).toEqual([{ n: links }]);
});

test('runs of several workers that all change one record share their commits, too', async () => {
  await using workflows = await startWorkflows();
  const set = { first_name: 'Ada', last_name: 'Hot', title: '${{ run.id }}' };
  const upsert = { id: 'make', use: 'contact.upsert', with: { match: { email: 'hot@example.com' }, set } };
  const runs = await deliverMany(workflows, { name: 'hot', inputs, steps: [upsert, log] }, 60);
  await Promise.all([1, 2].map(() => workflows.openWorker({ concurrency: 64 })));
  await allReach(workflows, runs);
  const { activities, events, transactions } = await effectsOf(workflows);
  expect({ activities, events }).toEqual({ activities: 60, events: 120 });
  expect(transactions).toBeLessThan(30);
});
