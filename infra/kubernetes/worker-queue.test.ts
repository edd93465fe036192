import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { type Database, type Db, newId, statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { createTestDatabase } from '@relata/testing';
import { applyWorkflow, createTrigger } from '@relata/workflows';
import { storeDeliveries } from '@relata/workflows/intake';
import { expect, test } from 'vitest';
import { render } from './render.harness.ts';

const objects = await render(join(import.meta.dirname, 'overlays/large'));
const query = objects.find(({ kind }) => kind === 'ScaledObject')!['spec'].triggers[0].metadata.query as string;

/** Returns the SQL of the README that creates the role for KEDA and grants its privileges. */
async function rightsOfKeda(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  return /```sql\n(CREATE ROLE relata_keda [^]*?)```/.exec(page)![1]!;
}

interface Seen {
  count: string;
  sees_inputs: boolean;
}

/** Runs KEDA's query with the role from the README, and drops the role afterwards. */
async function askAsKeda(owner: Database): Promise<Seen> {
  const undo = new Error('Roles belong to the whole server, so this transaction is rolled back.');
  let seen: Seen | undefined;
  const ask = async (db: Db) => {
    for (const each of (await rightsOfKeda()).split(';\n').filter(Boolean)) await db.query(statement('', each), []);
    await db.query(statement('', 'GRANT relata_keda TO current_user'), []);
    await db.query(statement('', 'SET LOCAL ROLE relata_keda'), []);
    const inputs = "has_column_privilege('workflow_runs', 'inputs', 'SELECT')";
    [seen] = await db.query(statement<Seen>('', `SELECT (${query})::text AS count, ${inputs} AS sees_inputs`), []);
    throw undo;
  };
  await expect(owner.transaction(ask)).rejects.toBe(undo);
  return seen!;
}

test('the query of KEDA counts exactly the runs that wait for a worker, with a role that can only count', async () => {
  await using db = await createTestDatabase();
  const { id: orgId } = await createOrganization(db.database, 'Acme');
  const [context, actor] = [{ database: db.database, bus: noopBus }, operatorActor(orgId, 'test')];
  const { trigger } = await createTrigger(context, actor, { name: 'Form' });
  const { applied } = await applyWorkflow(context, actor, {
    name: 'rest',
    steps: [{ id: 'rest', use: 'delay', with: { for: '1s' } }],
  });
  const runs = Array.from({ length: 8 }, () => ({
    id: newId(),
    workflowId: applied.id,
    version: applied.version,
    isLimited: false,
    inputs: '{}',
  }));
  const [ended, waiting, due, running, lost, limited] = runs.map(({ id }) => id);
  const delivery = {
    orgId,
    triggerId: trigger.id,
    keyHash: undefined,
    body: Buffer.from('{}'),
    headers: {},
    skipped: [],
  };
  await storeDeliveries(
    db.database,
    runs.map((run) => ({ ...delivery, id: newId(), runs: [run] })),
  );
  const change = (id: string | undefined, changes: string) =>
    db.owner.query(statement('', `UPDATE workflow_runs SET ${changes} WHERE id = '${id}'`), []);
  await change(ended, "status = 'succeeded', finished_at = now()");
  await change(waiting, "status = 'waiting', due_at = now() + interval '1 hour'");
  await change(due, "status = 'waiting', due_at = now() - interval '1 second'");
  await change(running, "status = 'running', due_at = now() + interval '30 seconds'");
  await change(lost, "status = 'running', due_at = now() - interval '1 second'");
  await change(limited, 'is_limited = true');
  // The two runs that were not changed are queued.
  expect(await askAsKeda(db.owner)).toEqual({ count: '4', sees_inputs: false });
});
