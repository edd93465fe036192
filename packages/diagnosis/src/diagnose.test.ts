import { createServer } from 'node:net';
import { statement } from '@relata/db';
import { listen, natsUrl, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { type Check, ok } from './check.ts';
import { checks } from './checks.ts';
import { makeQueue, setUpDiagnosis } from './diagnosis.harness.ts';

const diagnosis = setUpDiagnosis();
const levels = (findings: readonly { check: string; level: string }[]) =>
  Object.fromEntries(findings.map(({ check, level }) => [check, level]));

test('reports a running check once it takes longer than a second', async () => {
  const slow = Promise.withResolvers<string>();
  const asked: Check[] = [{ name: 'slow', run: async () => ok(await slow.promise) }];
  expect(await diagnosis.all({}, { asked, onSlow: slow.resolve })).toMatchObject([{ level: 'ok', found: 'slow' }]);
});

/** All checks except `durability`, because the test server does not sync to disk. */
const notOfTests = checks.filter(({ name }) => name !== 'durability');

test('a correct installation has neither faults nor warnings', async () => {
  await makeQueue(diagnosis.openMessaging(natsUrl()));
  const findings = await diagnosis.all({}, { asked: notOfTests });
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual(notOfTests.map(({ name }) => name));
});

test('a check without a response is a fault after its time limit, and the others continue', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>();
  const holding = diagnosis.owner().transaction(async (db) => {
    await db.query(statement('', 'LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE'), []);
    hasLocked();
    await ended;
  });
  await locked;
  // If the machine stalls, the other checks take too long as well.
  const findings = await until(async () => {
    const found = await diagnosis.all({}, { limitMs: 1_500, asked: notOfTests });
    expect(levels(found)).toMatchObject({
      schema: 'fault',
      permissions: 'ok',
      nats: 'ok',
      settings: 'ok',
      runs: 'ok',
    });
    return found;
  });
  end();
  await holding;
  expect(findings.find(({ check }) => check === 'schema')).toMatchObject({
    found: 'There was no answer within 1.5 s.',
    advice: expect.stringMatching(/locked/),
  });
});

test('the time limit of a check begins with the check, so slow earlier checks cause no fault', async () => {
  const slow = statement<never>('', 'SELECT pg_sleep(1.5)');
  const asked: Check[] = Array.from({ length: 8 }, (_, at) => ({
    name: `slow-${at}`,
    needs: 'database',
    run: async ({ database }) => ok(`${(await database.query(slow, [])).length} row.`),
  }));
  const database = diagnosis.open(diagnosis.url());
  const expected = asked.map(({ name }) => ({ check: name, level: 'ok', found: '1 row.', advice: null }));
  // Each of two slots runs four checks in six seconds, which is longer than the limit of one check. A machine stalls
  // only occasionally, so a second try succeeds.
  await until(async () =>
    expect(await diagnosis.all({ database }, { limitMs: 5_000, atOnce: 2, asked })).toEqual(expected),
  );
});

test.each([
  ['nobody listens', async () => 'postgres://relata:secret-word@127.0.0.1:1/relata'],
  ['the server never answers', () => silentServer()],
  ['the password is wrong', async () => diagnosis.url().replace(/:[^:@/]+@/, ':secret-word@')],
])('if %s, database is a fault, the checks of the database do not run, and those of NATS do', async (_where, urlOf) => {
  const findings = await diagnosis.all({ database: diagnosis.open(await urlOf(), 500) });
  expect(levels(findings)).toMatchObject({ database: 'fault', schema: 'warning', runs: 'warning', nats: 'ok' });
  expect(findings.find(({ check }) => check === 'schema')).toMatchObject({ found: 'Not checked.' });
  expect(JSON.stringify(findings)).not.toContain('secret-word');
});

test('if NATS is unreachable, nats is a fault, the checks of NATS do not run, and those of the database do', async () => {
  const findings = await diagnosis.all({ messaging: diagnosis.openMessaging('nats://secret-word@127.0.0.1:1') });
  expect(levels(findings)).toMatchObject({ nats: 'fault', jetstream: 'warning', queue: 'warning', schema: 'ok' });
  expect(JSON.stringify(findings)).not.toContain('secret-word');
});

async function silentServer(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  const { port } = await listen(server);
  diagnosis.stack().defer(() => void server.close());
  return `postgres://relata:secret-word@127.0.0.1:${port}/relata`;
}
