import { createServer } from 'node:net';
import { listen } from '@relata/testing';
import { expect, test } from 'vitest';
import { relata, setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();

interface Finding {
  check: string;
  level: string;
  found: string;
  advice: string | null;
}

/** Leaves out the durability check, which would report one more fault if the test server does not write to a disk. */
const withoutDisk = (text: string): Finding[] =>
  (JSON.parse(text) as Finding[]).filter(({ check }) => check !== 'durability');

test('doctor prints every finding even for a database with another schema, and exits with 1', async () => {
  await cli.owner().query({ name: '', text: "DELETE FROM schema_migrations WHERE name = '017-senders'" }, []);
  const { code, stdout, stderr } = await cli.run(['doctor', '--json']);
  expect(code).toBe(1);
  const findings = withoutDisk(stdout);
  expect(findings).toContainEqual({
    check: 'schema',
    level: 'fault',
    found: 'The database is older than this release: it lacks 017-senders.',
    advice: 'Run: relata migrate',
  });
  expect(findings.filter(({ level }) => level === 'fault')).toHaveLength(1);
  expect(JSON.parse(stderr)).toMatchObject({ error: 'fault_found', message: expect.stringContaining('schema') });
  await cli
    .owner()
    .query({ name: '', text: "INSERT INTO schema_migrations (name, batch) VALUES ('017-senders', 9)" }, []);
});

test('text output has a line per finding, followed by advice', async () => {
  const { stdout } = await cli.run(['doctor'], { NATS_URL: 'nats://secret-word@127.0.0.1:1', NATS_PREFIX: '' });
  expect(stdout).toMatch(/^ok {7}database {7}PostgreSQL \S+ answers\.$/m);
  expect(stdout).toMatch(/^fault {4}nats {11}NATS cannot be reached.*\n {24}Check that NATS runs at NATS_URL/m);
  expect(stdout).toMatch(/^ok {7}settings {7}.* Empty, and therefore not set: NATS_PREFIX\.$/m);
  expect(stdout).not.toContain('secret-word');
});

test('one line lists the checks that did not run because a server is unreachable; --json has each of them (found D7)', async () => {
  const env = { NATS_URL: 'nats://127.0.0.1:1' };
  const { stdout } = await cli.run(['doctor'], env);
  expect(stdout.match(/Not checked/g)).toHaveLength(1);
  expect(stdout).toMatch(/^warning {2} +Not checked: jetstream, queue\.\n +See nats\.$/m);
  const findings = JSON.parse((await cli.run(['doctor', '--json'], env)).stdout) as Finding[];
  expect(findings.filter(({ found }) => found === 'Not checked.').map(({ check }) => check)).toEqual([
    'jetstream',
    'queue',
  ]);
});

test('doctor waits for PostgreSQL as long as other commands do, and says so', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  const address = `127.0.0.1:${(await listen(server)).port}`;
  const env = { DATABASE_URL: `postgres://relata:secret-word@${address}/relata`, DATABASE_CONNECT_TIMEOUT_MS: '4000' };
  const begunAt = performance.now();
  const { code, stdout } = await cli.run(['doctor'], env);
  server.close();
  expect(code).toBe(1);
  expect(stdout).toContain(`Waiting for PostgreSQL at ${address}.\n`);
  expect(stdout).toMatch(/^fault {4}database /m);
  expect(performance.now() - begunAt).toBeGreaterThan(3_900);
});

test('a variable that is empty at start is reported, although it counts as unset', async () => {
  const env = { DATABASE_URL: cli.url(), WORKER_CONCURRENCY: '' };
  const { stdout } = await relata(['doctor', '--json'], { env });
  expect(withoutDisk(stdout).find(({ check }) => check === 'settings')).toMatchObject({
    level: 'ok',
    found: expect.stringMatching(/ Empty, and therefore not set: WORKER_CONCURRENCY\.$/),
  });
});

test('keys that cannot be read are reported without showing them', async () => {
  const { id: org } = await cli.json('orgs', 'create', 'Acme');
  const insert = `INSERT INTO organization_secrets (org_id, name, key_id, ciphertext) VALUES ('${org}', 'A', 'k', '')`;
  await cli.owner().query({ name: '', text: insert }, []);
  const { stdout } = await cli.run(['doctor', '--json'], { SECRETS_KEY: 'secret-word' });
  expect(withoutDisk(stdout).find(({ check }) => check === 'secrets-key')).toMatchObject({ level: 'fault' });
  expect(stdout).not.toContain('secret-word');
});
