import { type Db, newId, statement } from '@relata/db';
import { expect, test } from 'vitest';
import { addOrganization, setUpDiagnosis } from '../diagnosis.harness.ts';
import { countFailedRuns } from './runs.sql.ts';
import { openTransactions } from './transactions.ts';

const diagnosis = setUpDiagnosis();

test('a run that no worker starts is a warning after a minute and a fault after ten', async () => {
  const { addRun } = await addOrganization(diagnosis);
  await addRun('queued', 10);
  await addRun('waiting', -3_600);
  expect(await diagnosis.find('runs')).toMatchObject({ level: 'ok' });
  await addRun('queued', 300);
  expect(await diagnosis.find('runs')).toMatchObject({
    level: 'warning',
    found: 'The oldest run has waited 5 min to start.',
    advice: expect.stringMatching(/^Check that a worker runs\./),
  });
  await addRun('running', 900);
  expect(await diagnosis.find('runs')).toMatchObject({
    level: 'fault',
    found: 'The oldest run has waited 15 min to continue.',
  });
});

test('permanently failed runs are a warning', async () => {
  const { addRun } = await addOrganization(diagnosis);
  await addRun('failed', 0);
  expect(await diagnosis.find('failed-runs')).toMatchObject({
    level: 'warning',
    found: expect.stringMatching(/^1 run failed/),
  });
});

test('failed runs that were replayed are no warning', async () => {
  const { org, addRun } = await addOrganization(diagnosis);
  await addRun('failed', 0);
  await diagnosis.sql('UPDATE workflow_runs SET is_replayed = true WHERE org_id = $1', [org]);
  expect(await diagnosis.find('failed-runs')).toMatchObject({ level: 'ok', found: 'No failed runs.' });
  await addRun('failed', 0);
  expect(await diagnosis.find('failed-runs')).toMatchObject({ found: expect.stringMatching(/^1 run failed/) });
});

test('failed runs are counted by an index scan, up to a limit per organization', async () => {
  const statements: string[] = [];
  const recorded: Db = {
    query: ({ text }) => {
      statements.push(text);
      return Promise.resolve([{} as never]);
    },
  };
  await countFailedRuns(recorded);
  const rows = await diagnosis.sql<{ 'QUERY PLAN': string }>(`EXPLAIN ${statements[0]}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Limit .*\n *-> {2}Index Scan Backward using workflow_runs_failed on workflow_runs/);
});

/** Adds an organization with a delivery and an event of the given ages in days. */
async function addOld(days: { delivery: number; event: number }): Promise<void> {
  const { org, trigger } = await addOrganization(diagnosis);
  await diagnosis.sql(
    `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, received_at)
     VALUES ($1, '016f5e66-e800-7000-8000-000000000000', $2, '', '{}', now() - make_interval(days => $3))`,
    [org, trigger, days.delivery],
  );
  // Retention keeps the newest event, however old it is.
  for (const old of [days.event, 0])
    await diagnosis.sql(
      `INSERT INTO events (org_id, id, seq, created_at, type, record_id, actor)
       VALUES ($1, gen_random_uuid(), next_event($1), now() - make_interval(days => $2), 'account.updated',
         gen_random_uuid(), '{"type":"system"}')`,
      [org, old],
    );
}

test('rows that the retention settings of the workers should have removed are a warning', async () => {
  const environment = { RETENTION_DAYS: '10', EVENT_DAYS: '20' };
  await addOld({ delivery: 10, event: 20 });
  expect(await diagnosis.find('retention', { environment })).toMatchObject({ level: 'ok' });
  await addOld({ delivery: 13, event: 22 });
  expect(await diagnosis.find('retention')).toMatchObject({ level: 'ok' });
  expect(await diagnosis.find('retention', { environment })).toMatchObject({
    level: 'warning',
    found: 'The oldest delivery should have been deleted 3 days ago.',
  });
  expect(await diagnosis.find('retention', { environment: { EVENT_DAYS: '15' } })).toMatchObject({
    level: 'warning',
    found: 'The oldest event should have been deleted 7 days ago.',
  });
  const trashed = `INSERT INTO trash (org_id, id, resource, record, deletion_id, deleted_at)
    VALUES ($1, gen_random_uuid(), 'contact', '{}', gen_random_uuid(), now() - interval '45 days')`;
  await diagnosis.sql(trashed, [(await addOrganization(diagnosis)).org]);
  expect(await diagnosis.find('retention')).toMatchObject({
    found: 'The oldest entry of the trash should have been deleted 15 days ago.',
  });
});

test('a transaction open for too long is a warning that names its process', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<number>();
  const holding = diagnosis.open(diagnosis.url()).transaction(async (db) => {
    const [row] = await db.query(statement<{ pid: number }>('', 'SELECT pg_backend_pid() AS pid'), []);
    begin(row!.pid);
    await ended;
  });
  const pid = await begun;
  const oldestAllowed = async (seconds: number) =>
    (await diagnosis.all({}, { asked: [{ ...openTransactions(seconds), needs: undefined! }] }))[0];
  expect(await oldestAllowed(60)).toMatchObject({ level: 'ok' });
  expect(await oldestAllowed(0)).toMatchObject({ level: 'warning', found: expect.stringContaining(`process ${pid}`) });
  end();
  await holding;
  expect(await oldestAllowed(0)).toMatchObject({ level: 'ok' });
});

test('a demo request that was not sent within five minutes is a warning', async () => {
  const { org } = await addOrganization(diagnosis);
  const add = (status: string, ago: string) =>
    diagnosis.sql(
      `INSERT INTO demo_requests (org_id, id, name, work_email, status, created_at)
       VALUES ($1, $2, 'Ada', 'ada@example.com', $3, now() - $4::interval)`,
      [org, newId(), status, ago],
    );
  await add('pending', '10 seconds');
  await add('sent', '3 days');
  expect(await diagnosis.find('demo-requests')).toMatchObject({ level: 'ok' });
  await add('failed', '3 hours');
  expect(await diagnosis.find('demo-requests')).toMatchObject({
    level: 'warning',
    found: '2 demo requests not sent, the oldest 3 h old.',
  });
});

test('keys in use that expire are warnings, and a trigger whose key has expired is a fault', async () => {
  const { org, trigger, addKey } = await addOrganization(diagnosis);
  await addKey("now() + interval '30 days'", 'now()');
  await addKey("now() - interval '1 hour'", "now() - interval '30 days'");
  expect(await diagnosis.find('api-keys')).toMatchObject({ level: 'ok' });
  await addKey("now() + interval '2 days'", 'now()');
  expect(await diagnosis.find('api-keys')).toMatchObject({
    level: 'warning',
    found: expect.stringContaining('will expire'),
  });
  const expired = await addKey("now() - interval '1 hour'", "now() - interval '2 hours'");
  expect(await diagnosis.find('api-keys')).toMatchObject({
    level: 'warning',
    found: expect.stringContaining('expired'),
  });
  await diagnosis.sql('UPDATE webhook_triggers SET key_id = $3 WHERE org_id = $1 AND id = $2', [org, trigger, expired]);
  expect(await diagnosis.find('api-keys')).toMatchObject({
    level: 'fault',
    found: expect.stringMatching(/^1 active trigger/),
  });
  const successor = await addKey("now() + interval '30 days'", 'now()');
  await diagnosis.sql('UPDATE api_keys SET replaced_by = $3 WHERE org_id = $1 AND id = $2', [org, expired, successor]);
  expect(await diagnosis.find('api-keys')).toMatchObject({ level: 'warning' });
});
