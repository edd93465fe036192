import { statement } from '@relata/db';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';

/** Number of consecutive deadlocks when the marked step is written alone. */
const deadlocksAlone = 6;

/** Text in the input of a step that marks the step. */
const mark = '1ms';

/**
 * Statements that add a trigger. It makes writes of a marked step fail like the victim of a deadlock: every write that
 * includes steps of other runs, and the first `deadlocksAlone` writes of the step alone. Sequences count the failures,
 * because they are not rolled back.
 */
const addDeadlocks = [
  'CREATE SEQUENCE in_groups',
  'CREATE SEQUENCE alone',
  `CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
   BEGIN
     IF EXISTS (SELECT FROM made WHERE input::text LIKE '%${mark}%') AND (CASE
       WHEN (SELECT count(DISTINCT run_id) > 1 FROM made) THEN nextval('in_groups') > 0
       ELSE nextval('alone') <= ${deadlocksAlone} END)
     THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER deadlock AFTER INSERT ON workflow_run_steps REFERENCING NEW TABLE AS made
   FOR EACH STATEMENT EXECUTE FUNCTION deadlock()`,
];

let workflows: Workflows;
const own = (text: string) => workflows.owner.query(statement<Deadlocks>('', text), []);
beforeAll(async () => {
  workflows = await startWorkflows();
  for (const text of addDeadlocks) await own(text);
});
beforeEach(async () => {
  for (const name of ['in_groups', 'alone']) await own(`ALTER SEQUENCE ${name} RESTART`);
});
afterAll(() => workflows[Symbol.asyncDispose]());

interface Deadlocks {
  inGroups: number;
  alone: number;
}

/** Returns the number of deadlocks of the marked step. */
async function countDeadlocks(): Promise<Deadlocks> {
  const counted = (name: string) => `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int FROM ${name})`;
  const [row] = await own(
    `SELECT ${counted('in_groups')} AS "inGroups", least(${counted('alone')}, ${deadlocksAlone}) AS alone`,
  );
  return row!;
}

const make = { id: 'make', use: 'account.create', with: { set: { account_name: '${{ inputs.name }}' } } };
const wait = { id: 'wait', use: 'delay', with: { for: mark } };
const countAccounts = statement<{ n: number }>('', 'SELECT count(*)::int AS n FROM accounts WHERE org_id = $1');

test('a deadlock breaks up a shared transaction: the other runs are committed, and the run at fault is soon retried alone', async () => {
  const id = await workflows.apply({ name: 'makes', inputs: { name: { type: 'string' } }, steps: [make] });
  const names = [mark, ...Array.from({ length: 10 }, (_, at) => `Account ${at}`)];
  const delivered = names.map((name) => workflows.deliver(id, { inputs: { name }, isSilent: true }));
  const [marked, ...others] = await Promise.all(delivered);
  await workflows.openWorker({ concurrency: 64 });
  await Promise.all(others.map((id) => workflows.reached(id, 'succeeded')));
  await workflows.reached(marked!, 'succeeded');
  const { inGroups, alone } = await countDeadlocks();
  expect({ alone, isOfGroup: inGroups > 0 }).toEqual({ alone: deadlocksAlone, isOfGroup: true });
  expect(await workflows.database.query(countAccounts, [workflows.orgId])).toEqual([{ n: 11 }]);
});

test('a run that writes in its own transaction and hits deadlocks is soon retried', async () => {
  const id = await workflows.deliver(await workflows.apply({ name: 'waits', inputs: {}, steps: [wait] }));
  await workflows.reached(id, 'succeeded');
  expect(await countDeadlocks()).toEqual({ inGroups: 0, alone: deadlocksAlone });
});
