import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createRecord, contacts as contactTable, readUpsert, upsertRecord } from '@relata/records';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';

const people = Array.from({ length: 20 }, (_, at) => `person-${at}@example.com`);
const endWithinMs = 60_000;

const upsertAll = {
  name: 'people',
  inputs: { people: { type: 'array', required: true } },
  steps: [
    {
      id: 'each',
      use: 'for_each',
      with: { items: '${{ inputs.people }}' },
      steps: [
        {
          id: 'contact',
          use: 'contact.upsert',
          with: {
            match: { email: '${{ item }}' },
            set: { first_name: 'Ada', last_name: 'Shared', title: '${{ run.id }}' },
          },
        },
      ],
    },
  ],
};

const contactsOf = statement<{ n: number; emails: number }>(
  'test.contacts',
  'SELECT count(*) AS n, count(DISTINCT email) AS emails FROM contacts WHERE org_id = $1',
);
const deadlocksOf = statement<{ deadlocks: number }>(
  'test.deadlocks',
  'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
);

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function countDeadlocks({ database }: Workflows): Promise<number> {
  return (await database.query(deadlocksOf, []))[0]!.deadlocks;
}

async function deliverMany(workflows: Workflows, id: string, count: number, inputs: () => Record<string, unknown>) {
  return Promise.all(Array.from({ length: count }, () => workflows.deliver(id, { inputs: inputs() })));
}

const runsOf = statement<{ status: string; n: number }>(
  'test.runs',
  'SELECT status, count(*) AS n FROM workflow_runs WHERE org_id = $1 GROUP BY status',
);

async function countRuns({ database, orgId }: Workflows, status: string): Promise<number> {
  const counts = await database.query(runsOf, [orgId]);
  return counts.find((count) => count.status === status)?.n ?? 0;
}

/** Waits until all runs have succeeded. A single query checks them all, so that waiting does not delay them. */
async function allSucceed({ database, orgId }: Workflows): Promise<void> {
  const ended = [{ status: 'succeeded', n: expect.any(Number) }];
  await until(async () => expect(await database.query(runsOf, [orgId])).toEqual(ended), endWithinMs);
}

test('runs that upsert the same people in different orders all end soon, without a deadlock', async () => {
  await using workflows = await startWorkflows();
  await Promise.all([1, 2].map(() => workflows.openWorker()));
  const id = await workflows.apply(upsertAll);
  await deliverMany(workflows, id, 40, () => ({ people: shuffled(people) }));
  await allSucceed(workflows);
  expect(await workflows.database.query(contactsOf, [workflows.orgId])).toEqual([{ n: 20, emails: 20 }]);
  expect(await countDeadlocks(workflows)).toBe(0);
});

test('two workflows that upsert contact and account in opposite orders do not block each other', async () => {
  await using workflows = await startWorkflows();
  await workflows.openWorker();
  const contact = {
    id: 'contact',
    use: 'contact.upsert',
    with: { match: { email: 'ada@example.com' }, set: { first_name: 'Ada', last_name: 'L', title: '${{ run.id }}' } },
  };
  const account = {
    id: 'account',
    use: 'account.upsert',
    with: { match: { account_name: 'Acme' }, set: { city: '${{ run.id }}' } },
  };
  const ids = await Promise.all(
    [
      [contact, account],
      [account, contact],
    ].map((steps, at) => workflows.apply({ name: `crossing-${at}`, inputs: {}, steps })),
  );
  await Promise.all(ids.map((id) => deliverMany(workflows, id, 20, () => ({}))));
  await allSucceed(workflows);
  expect(await countDeadlocks(workflows)).toBe(0);
});

test('runs that change the same records in different orders and find them by different fields all end', async () => {
  await using workflows = await startWorkflows();
  await Promise.all([1, 2].map(() => workflows.openWorker()));
  const made = await workflows.database.transaction(async (db) => {
    const all = [];
    for (const email of people) {
      const fields = { first_name: 'Ada', last_name: 'L', email, crm_id: email };
      all.push(await createRecord(db, operatorActor(workflows.orgId, 'test'), contactTable, fields));
    }
    return all;
  });
  const set = { title: '${{ run.id }}' };
  const each = (name: string, step: object) => ({
    name,
    inputs: { items: { type: 'array', required: true } },
    steps: [
      { id: 'each', use: 'for_each', with: { items: '${{ inputs.items }}' }, steps: [{ id: 'change', ...step }] },
    ],
  });
  const byId = await workflows.apply(each('by-id', { use: 'contact.update', with: { id: '${{ item }}', set } }));
  const byCrmId = await workflows.apply(
    each('by-crm-id', { use: 'contact.upsert', with: { match: { crm_id: '${{ item }}' }, set } }),
  );
  await Promise.all([
    deliverMany(workflows, byId, 8, () => ({ items: shuffled(made.map((record) => record.id)) })),
    deliverMany(workflows, byCrmId, 8, () => ({ items: shuffled(people) })),
  ]);
  await allSucceed(workflows);
  expect(await countDeadlocks(workflows)).toBe(0);
});

test('runs that wait for a match hold no connection, so that other runs continue (G10)', async () => {
  await using workflows = await startWorkflows();
  await workflows.openWorker({ concurrency: 64 });
  const upsert = await workflows.apply(upsertAll);
  const other = await workflows.another();
  const simple = await other.apply({
    name: 'simple',
    inputs: {},
    steps: [{ id: 'make', use: 'account.create', with: { set: { account_name: 'Other' } } }],
  });
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = workflows.database.transaction(async (db) => {
    const fields = { first_name: 'Ada', last_name: 'L' };
    const hot = readUpsert(contactTable, { match: { email: 'hot@example.com' }, set: fields });
    await upsertRecord(db, operatorActor(workflows.orgId, 'test'), contactTable, hot);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  try {
    await deliverMany(workflows, upsert, 40, () => ({ people: ['hot@example.com'] }));
    // More runs are in progress than there are database connections.
    await until(async () => expect((await countRuns(workflows, 'running')) > 10).toBe(true));
    await other.reached(await other.deliver(simple), 'succeeded');
    expect(await countRuns(workflows, 'succeeded')).toBe(0);
  } finally {
    release.resolve();
    await holding;
  }
  await allSucceed(workflows);
});
