import { newId, statement } from '@relata/db';
import { expect, test } from 'vitest';
import { addOrganization, useDiagnosis } from '../diagnosis.harness.ts';
import { openTransactions } from './transactions.ts';

const diagnosis = useDiagnosis();

test('a run that nobody begins is a warning after a minute and a fault after ten', async () => {
  const { addRun } = await addOrganization(diagnosis);
  await addRun('queued', 10);
  await addRun('waiting', -3_600);
  expect(await diagnosis.find('runs')).toMatchObject({ level: 'ok' });
  await addRun('queued', 300);
  expect(await diagnosis.find('runs')).toMatchObject({
    level: 'warning',
    found: 'The oldest run has waited 5 min to start.',
  });
  await addRun('running', 900);
  expect(await diagnosis.find('runs')).toMatchObject({
    level: 'fault',
    found: 'The oldest run has waited 15 min to continue.',
  });
});

test('runs that have failed for good are a warning', async () => {
  const { addRun } = await addOrganization(diagnosis);
  await addRun('failed', 0);
  expect(await diagnosis.find('failed-runs')).toMatchObject({
    level: 'warning',
    found: expect.stringMatching(/^1 run failed/),
  });
});

test('a transaction that stays open is a warning that names its process', async () => {
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

test('keys that end while in use are warnings, and a trigger whose key has ended is a fault', async () => {
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
