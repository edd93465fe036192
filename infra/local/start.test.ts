import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openDatabase, statement } from '@relata/db';
import { freePort } from '@relata/embedded';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { appNames } from '../services.ts';
import type { StackFile, StackOrganization } from './stack/stack-file.ts';
import { Checkout, performCurl, type Run } from './start.harness.ts';

// Bounds, not expectations: a machine without nats-server fetches it first.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 300_000 });
const promised = { timeout: 15_000, interval: 25 };
const stopWithinMs = 10_000;

const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
const id = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
const text = expect.any(String);
const pid = expect.any(Number);
const secretKey = expect.stringMatching(/^relata_sk_/);
const publishableKey = expect.stringMatching(/^relata_pk_/);
const triggerSecret = expect.stringMatching(/^relata_whs_/);

let checkout: Checkout;
let run: Run;
let stack: StackFile;
let first: StackFile;
/** What the first start was asked to keep. */
const kept = { accountId: '', key: '' };

beforeAll(async () => {
  checkout = await Checkout.create();
});
afterAll(() => checkout?.[Symbol.asyncDispose]());

async function start(): Promise<void> {
  run = await checkout.npmStart({ PORT: String(await freePort()), AWS_SECRET_ACCESS_KEY: 'of another service' });
  stack = await checkout.ready(run);
}

/** Stops the stack by a signal, and says how that went. */
async function stop(signal: NodeJS.Signals) {
  const before = Date.now();
  run.child.kill(signal);
  await checkout.finished(run);
  return { ...(await run.exited), tookMs: Date.now() - before };
}

async function call(method: string, path: string, key: string, body?: Record<string, unknown>) {
  const response = await fetch(`${stack.base_url}${path}`, {
    method,
    headers: { 'X-Api-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, body: await response.json() };
}

function organization(name: string): StackOrganization {
  const found = stack.organizations.find((one) => one.name === name);
  if (!found) throw new Error(`There is no organization ${name}.`);
  return found;
}

const keyOf = (name: string) => organization(name).keys.full;

/** The ids of all processes that the stack's file names. */
function pidsOf({ pid, services, postgres, nats }: StackFile): number[] {
  return [pid, ...Object.values(services).map((service) => service.pid), postgres.pid ?? 0, nats.pid ?? 0];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the first start', () => {
  beforeAll(async () => {
    await start();
    first = stack;
  });

  test('installs once, and then runs', async () => {
    expect(await checkout.installations()).toBe(1);
  });

  test('only its owner may read stack.json', async () => {
    expect((await stat(checkout.stackPath)).mode & 0o777).toBe(0o600);
  });

  test('stack.json names the address, and every process with its place', async () => {
    const service = { url, pid };
    expect(stack).toEqual({
      base_url: url,
      pid,
      services: Object.fromEntries(appNames.map((name) => [name, service])),
      postgres: {
        url: expect.stringMatching(/^postgres:\/\/\S+:\d+\/relata$/),
        pid,
        data_dir: join(checkout.folder, '.local', 'postgres'),
      },
      nats: {
        url: expect.stringMatching(/^nats:\/\/[\w-]{32}@127\.0\.0\.1:\d+$/),
        pid,
        store_dir: join(checkout.folder, '.local', 'nats'),
      },
      channel: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/inbox\/[\w-]{32}$/), kind: 'slack' },
      secrets: { key_file: join(checkout.folder, '.local', 'secrets.key') },
      organizations: expect.any(Array),
    });
    expect(pidsOf(stack).filter((one) => !isAlive(one))).toEqual([]);
    expect(new Set(pidsOf(stack)).size).toBe(7);
  });

  test('the apps have a database role that owns nothing, and stack.json that of the owner', async () => {
    await using database = openDatabase({ url: stack.postgres.url, name: 'test', poolMax: 1 });
    const roles = statement<{ name: string; powerful: boolean; owned: number }>(
      '',
      `SELECT DISTINCT usename AS name, rolsuper OR rolcreatedb OR rolcreaterole AS powerful,
         (SELECT count(*) FROM pg_class WHERE relowner = usesysid) AS owned
       FROM pg_stat_activity JOIN pg_roles ON pg_roles.oid = usesysid WHERE application_name = ANY ($1)`,
    );
    await vi.waitFor(async () => {
      expect(await database.query(roles, [appNames])).toEqual([{ name: 'relata_app', powerful: false, owned: 0 }]);
    }, promised);
    const [owner] = await database.query(statement('', 'SELECT count(*) AS n FROM pg_authid'), []);
    expect(owner).toBeDefined();
  });

  test('what opens PostgreSQL and NATS is in files that only the owner may read', async () => {
    for (const name of ['postgres-app.password', 'nats.token', 'nats/nats.conf'])
      expect((await stat(join(checkout.folder, '.local', name))).mode & 0o777, name).toBe(0o600);
  });

  test.runIf(process.platform === 'linux')('no app is given the keys of other services', async () => {
    for (const { pid } of Object.values(stack.services)) {
      const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((line) => line.split('=')[0]);
      expect(names).toContain('DATABASE_URL');
      expect(names).not.toContain('AWS_SECRET_ACCESS_KEY');
    }
  });

  test('stack.json has both organizations with their keys, and what Acme was filled with', () => {
    const keys = { full: secretKey, read_only: secretKey, chat: secretKey, webhook: secretKey };
    const list = expect.any(Array);
    const shape = { id, users: list, pipelines: list, stages: list, triggers: list };
    expect(stack.organizations).toEqual([
      { name: 'Acme', keys: { ...keys, publishable: publishableKey }, ...shape },
      { name: 'Globex', keys, ...shape },
    ]);
    const { users = [], pipelines = [], stages = [] } = organization('Acme');
    expect(users).toEqual(Array.from(users, () => ({ id, email: expect.stringContaining('@') })));
    expect(pipelines).toEqual(Array.from(pipelines, () => ({ id, name: text })));
    expect(stages).toEqual(Array.from(stages, () => ({ id, name: text })));
    expect(Math.min(users.length, pipelines.length, stages.length)).toBeGreaterThan(0);
  });

  test('each trigger of the demo can be called: its URL is that of the stack, and its secret is there', () => {
    const { triggers, keys } = organization('Acme');
    const shape = { id, name: text, url: expect.stringContaining(`${stack.base_url}/webhooks/trigger/`) };
    const workflows = ['inbound-lead'];
    expect(triggers).toEqual([
      { ...shape, mode: 'unique', secret: triggerSecret, workflows },
      { ...shape, mode: 'shared', secret: keys.webhook, workflows },
    ]);
  });

  test('a lead that is posted to the webhook becomes a contact', async () => {
    for (const [i, trigger] of organization('Acme').triggers!.entries()) {
      const email = `lead-${i}@example.com`;
      const headers = { 'X-Webhook-Secret': trigger.secret! };
      const body = JSON.stringify({ user: { email, name: 'Lead' }, form: {} });
      const answer = await fetch(trigger.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
      expect([answer.status, await answer.json()]).toEqual([202, { received: true }]);
      await vi.waitFor(async () => {
        const found = await call('GET', `/v1/records/contacts?email=${email}`, keyOf('Acme'));
        expect(found).toMatchObject({ body: { total: 1, data: [{ email, first_name: 'Lead' }] } });
      }, promised);
    }
  });

  test('everything that the banner offers to paste works', async () => {
    const offered = run
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('curl '));
    expect(offered.length).toBeGreaterThan(4);
    for (const line of offered) expect(await performCurl(line), line).toBeLessThan(300);
  });

  test('a record can be made, read and changed through the one address', async () => {
    const made = await call('POST', '/v1/records/accounts', keyOf('Acme'), { account_name: 'Kept Ltd' });
    expect(made).toMatchObject({ status: 201, body: { data: { id, account_name: 'Kept Ltd' } } });
    kept.accountId = (made.body as { data: { id: string } }).data.id;
    const path = `/v1/records/accounts/${kept.accountId}`;
    const changed = await call('PATCH', path, keyOf('Acme'), { city: 'Zürich' });
    expect(changed).toMatchObject({ status: 200, body: { data: { account_name: 'Kept Ltd', city: 'Zürich' } } });
    expect(await call('GET', path, keyOf('Acme'))).toEqual(changed);
  });

  test('a key that may only read does not write', async () => {
    const key = organization('Acme').keys.read_only ?? '';
    expect(await call('GET', '/v1/records/accounts', key)).toMatchObject({ status: 200 });
    expect(await call('POST', '/v1/records/accounts', key, { account_name: 'No' })).toMatchObject({ status: 403 });
  });

  test("Globex sees nothing of Acme's records", async () => {
    const one = await call('GET', `/v1/records/accounts/${kept.accountId}`, keyOf('Globex'));
    expect(one).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(await call('GET', '/v1/records/accounts', keyOf('Globex'))).toMatchObject({ body: { data: [], total: 0 } });
  });

  test('relata finds the running stack, prints one JSON document, and its new key works at once', async () => {
    const { id: org } = organization('Acme');
    const created = await checkout.relata('keys', 'create', '--json', '--org', org, '--scope', 'records:read');
    expect(await created.exited, created.stderr()).toEqual({ code: 0, signal: null });
    const document = JSON.parse(created.stdout());
    expect(document).toMatchObject({ id, key: secretKey });
    kept.key = document.key;
    expect(await call('GET', `/v1/records/accounts/${kept.accountId}`, kept.key)).toMatchObject({ status: 200 });
  });

  test('relata posts a sample through the receiver and follows its run to the end', async () => {
    const [trigger] = organization('Acme').triggers!;
    const tested = await checkout.relata('triggers', 'test', trigger!.id, '--json');
    expect(await tested.exited, tested.stderr()).toEqual({ code: 0, signal: null });
    expect(JSON.parse(tested.stdout())).toMatchObject({
      id,
      status: 202,
      runs: [{ workflow: 'inbound-lead', status: 'succeeded' }],
    });
  });

  test('a second start beside it is refused, and harms nothing', async () => {
    const second = await checkout.finished(await checkout.npmStart({ PORT: String(await freePort()) }));
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.stderr()).toContain(`already running (process ${stack.pid})`);
    expect(await checkout.stack()).toEqual(stack);
  });

  test.each(appNames)('%s is back after a kill, with its new process id in stack.json', async (name) => {
    const before = stack.services[name];
    process.kill(before.pid, 'SIGKILL');
    const after = await vi.waitFor(async () => {
      const found = await checkout.stack();
      expect(found?.services[name].pid).not.toBe(before.pid);
      return found!;
    }, promised);
    stack = after;
    expect(after.services[name]).toEqual({ url: before.url, pid });
    expect((await fetch(`${before.url}/health/ready`, { signal: AbortSignal.timeout(5_000) })).status).toBe(200);
    expect(run.stdout()).toContain(`${name} ended (SIGKILL)`);
  });

  test('after the kills the address serves as before', async () => {
    expect(await call('GET', '/v1/self', keyOf('Acme'))).toMatchObject({ status: 200 });
  });

  test('SIGTERM ends every process within ten seconds, and takes stack.json away', async () => {
    // Proves that they are found: the seven of stack.json, and bootstrap.mjs.
    expect((await checkout.processes()).length).toBeGreaterThanOrEqual(process.platform === 'linux' ? 8 : 0);
    const { code, tookMs } = await stop('SIGTERM');
    expect({ code, stderr: run.stderr() }).toEqual({ code: 0, stderr: expect.not.stringContaining('Error') });
    expect(tookMs).toBeLessThan(stopWithinMs);
    expect(await checkout.stack()).toBeUndefined();
    expect(pidsOf(stack).filter(isAlive)).toEqual([]);
    expect(await checkout.processes()).toEqual([]);
  });
});

test('a port that is taken is said in words, before anything is started', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const refused = await checkout.finished(await checkout.npmStart({ PORT: String(port) }));
  await new Promise((resolve) => taken.close(resolve));
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toMatch(new RegExp(`^Port ${port} is taken\\..*\\n$`));
  expect(await checkout.processes()).toEqual([]);
});

describe('a second start on the data that was kept', () => {
  beforeAll(async () => {
    // As data of a release that knew neither.
    for (const name of ['postgres-app.password', 'nats.token']) await rm(join(checkout.folder, '.local', name));
    await start();
  });

  test('installs nothing', async () => {
    expect(await checkout.installations()).toBe(1);
  });

  test('has the same organizations with the same keys', () => {
    const withoutAddress = ({ organizations }: StackFile) =>
      organizations.map(({ triggers, ...rest }) => ({
        ...rest,
        triggers: triggers?.map(({ id, secret }) => ({ id, secret })),
      }));
    expect(withoutAddress(stack)).toEqual(withoutAddress(first));
  });

  test('has the record and the key that were made before', async () => {
    const found = await call('GET', `/v1/records/accounts/${kept.accountId}`, kept.key);
    expect(found).toMatchObject({ status: 200, body: { data: { account_name: 'Kept Ltd', city: 'Zürich' } } });
  });

  test('Ctrl-C ends it as well', async () => {
    const { code, tookMs } = await stop('SIGINT');
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    expect(await checkout.processes()).toEqual([]);
  });
});
