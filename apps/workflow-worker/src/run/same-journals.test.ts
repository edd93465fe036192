import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';

const nowhere = '00000000-0000-7000-8000-000000000000';
const set = { first_name: 'Ada', last_name: 'L', title: '${{ workflow.name }}' };

/** Steps that succeed, fail before they write for various reasons, are skipped, or run in a loop. */
const kinds: ((id: string) => object)[] = [
  (id) => ({ id, use: 'account.create', with: { set: { account_name: `Account ${id}` } } }),
  (id) => ({ id, use: 'contact.upsert', with: { match: { email: 'hot@example.com' }, set } }),
  (id) => ({ id, use: 'contact.upsert', with: { match: { email: '${{ inputs.email }}' }, set } }),
  (id) => ({ id, use: 'activity.create', with: { content: `Log ${id}` } }),
  (id) => ({ id, use: 'activity.create', with: { content: 'x', contact_ids: [nowhere] } }),
  (id) => ({ id, use: 'account.update', with: { id: nowhere, set: { city: 'x' } } }),
  (id) => ({ id, use: 'account.update', with: { id: "${{ 'no ' + 'id' }}", set: { city: 'x' } } }),
  (id) => ({
    id,
    use: 'opportunity.create',
    with: { set: { opportunity_name: 'x', account_id: nowhere, stage_id: nowhere } },
  }),
  (id) => ({ id, use: 'contact.find', with: { match: { email: 'nobody@example.com' } } }),
  (id) => ({ id, use: 'activity.create', with: { content: '${{ payload.user.name }}' } }),
  (id) => ({ id, use: 'account.create', when: 'false', with: { set: { account_name: 'never' } } }),
  (id) => ({
    id,
    use: 'for_each',
    with: { items: ['a', 'b', 'c'] },
    steps: [
      { id: 'one', use: 'account.upsert', with: { match: { account_name: 'Loop ${{ item }}' }, set: { city: id } } },
      { id: 'two', use: 'activity.create', with: { content: '${{ item }}' } },
    ],
  }),
];

/** Returns a generator of pseudorandom numbers from 0 to below `max`; the same seed yields the same numbers. */
function numbers(seed: number) {
  let state = seed;
  return (max: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * max);
  };
}

function workflow(seed: number): object {
  const next = numbers(seed);
  const steps = Array.from({ length: 1 + next(6) }, (_, at) => {
    const step = kinds[next(kinds.length)]!(`s${at}`);
    return next(3) === 0 ? step : { ...step, on_error: 'continue' };
  });
  return { name: `random-${seed}`, inputs: { email: { type: 'string' } }, steps };
}

const journals = statement<{ run: string; steps: unknown }>(
  'test.journals',
  `SELECT w.name || ' ' || (r.inputs ->> 'email') AS run, r.status, r.error,
     json_agg(json_build_array(s.path, s.use, s.status, s.attempts, s.input, s.error,
       s.output ->> 'content', s.output ->> 'account_name', s.output ->> 'email') ORDER BY s.position) AS steps
   FROM workflow_runs r JOIN workflows w ON w.org_id = r.org_id AND w.id = r.workflow_id
   LEFT JOIN workflow_run_steps s ON s.org_id = r.org_id AND s.run_id = r.id
   WHERE r.org_id = $1 GROUP BY w.name, r.id, r.org_id ORDER BY 1`,
);
const open = statement<{ n: number }>(
  'test.open',
  `SELECT count(*) AS n FROM workflow_runs WHERE status NOT IN ('succeeded', 'failed')`,
);
const records = statement<{ accounts: number; contacts: number; activities: number; events: number }>(
  'test.records',
  `SELECT (SELECT count(*) FROM accounts WHERE org_id = $1) AS accounts,
     (SELECT count(*) FROM contacts WHERE org_id = $1) AS contacts,
     (SELECT count(*) FROM custom_activities WHERE org_id = $1) AS activities,
     (SELECT count(*) FROM events WHERE org_id = $1 AND type LIKE '%.created' AND actor ->> 'type' = 'run') AS events`,
);

const [workflowsCount, runsOfEach] = [24, 4];

async function runAll(workflows: Workflows, concurrency: number) {
  for (let seed = 1; seed <= workflowsCount; seed++) {
    const id = await workflows.apply(workflow(seed));
    for (let n = 0; n < runsOfEach; n++)
      await workflows.deliver(id, { inputs: { email: `person-${n}@example.com` }, isSilent: true });
  }
  await workflows.openWorker({ concurrency, natsUrl: 'nats://127.0.0.1:1' });
  await until(async () => expect(await workflows.database.query(open, [])).toEqual([{ n: 0 }]), 60_000);
  const values = [workflows.orgId];
  return [await workflows.database.query(journals, values), await workflows.database.query(records, values)];
}

test('runs that share transactions leave the same journals and records as runs executed one at a time', async () => {
  await using together = await startWorkflows();
  await using alone = await startWorkflows();
  const [many, one] = await Promise.all([runAll(together, 64), runAll(alone, 1)]);
  expect(many).toEqual(one);
  expect(many[0]).toHaveLength(workflowsCount * runsOfEach);
});
