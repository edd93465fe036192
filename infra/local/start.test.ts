import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDatabase, statement } from '@relata/db';
import { freePort } from '@relata/embedded';
import { Standstill } from '@relata/testbed/standstill';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { appNames } from '../services.ts';
import { clientOf, like, organizationOf, type StackClient } from './stack/stack.harness.ts';
import type { StackFile } from './stack/stack-file.ts';
import { visitorOf } from './stack/visitor.harness.ts';
import { Checkout, type Run } from './start.harness.ts';

// Upper limits, not expected times: a machine without nats-server fetches it first.
const promised = { timeout: 60_000, interval: 25 };
// The stack exits with 1 if its processes have not ended after 9.5 s. The rest is for a busy machine to end that process.
const stopWithinMs = 20_000;

const { id, pid, secretKey, url } = like;

let checkout: Checkout;
let run: Run;
let stack: StackFile;
let call: StackClient;
let first: StackFile;
/** Created at the first start, and expected at the second. */
const kept = { accountId: '', key: '' };

beforeAll(async () => {
  checkout = await Checkout.create();
});
afterAll(() => checkout?.[Symbol.asyncDispose]());

async function start(env: NodeJS.ProcessEnv = {}): Promise<void> {
  ({ run, stack } = await checkout.startReady({ AWS_SECRET_ACCESS_KEY: 'of another service', ...env }));
  call = clientOf(stack);
}

/**
 * Stops the stack by a signal; returns its exit code, its signal and the elapsed time, without pauses of the machine.
 */
async function stop(signal: NodeJS.Signals) {
  using standstill = new Standstill();
  const before = Date.now();
  run.child.kill(signal);
  await checkout.finished(run);
  return { ...(await run.exited), tookMs: Date.now() - before - standstill.lostMs };
}

const acmeKey = () => organizationOf(stack, 'Acme').keys.full;

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

  test('the first start installs once, and then runs', async () => {
    expect(await checkout.installations()).toBe(1);
  });

  test('only its owner may read stack.json', async () => {
    expect((await stat(checkout.stackPath)).mode & 0o777).toBe(0o600);
  });

  test('stack.json has the address, and the address and process id of every service and server', async () => {
    const service = { url, pid };
    expect(stack).toEqual({
      base_url: url,
      pid,
      services: Object.fromEntries(appNames.map((name) => [name, service])),
      console: { url: `${stack.base_url}/console` },
      postgres: {
        url: expect.stringMatching(/^postgres:\/\/\S+:\d+\/relata$/),
        app_url: expect.stringMatching(/^postgres:\/\/relata_app:\S+:\d+\/relata$/),
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
      signing: { key_file: join(checkout.folder, '.local', 'signing.keys') },
      notify: { key_file: join(checkout.folder, '.local', 'notify.keys') },
      organizations: expect.any(Array),
    });
    expect(pidsOf(stack).filter((one) => !isAlive(one))).toEqual([]);
    // Besides the apps: the stack itself, PostgreSQL and NATS.
    expect(new Set(pidsOf(stack)).size).toBe(appNames.length + 3);
  });

  test('the apps use a database role that owns nothing, and stack.json has that of the owner', async () => {
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

  test('relata doctor finds nothing to do', async () => {
    const doctor = await checkout.relata('doctor', '--json');
    expect(await doctor.exited, doctor.stderr()).toEqual({ code: 0, signal: null });
    const findings = JSON.parse(doctor.stdout()) as { level: string }[];
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  });

  test('the password of PostgreSQL and the token of NATS are in files that only the owner may read', async () => {
    for (const name of ['postgres-app.password', 'nats.token', 'nats/nats.conf'])
      expect((await stat(join(checkout.folder, '.local', name))).mode & 0o777, name).toBe(0o600);
  });

  test('no app is given the keys of other services', async (context) => {
    context.skip(process.platform !== 'linux', 'needs Linux');
    for (const { pid } of Object.values(stack.services)) {
      const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((line) => line.split('=')[0]);
      expect(names).toContain('DATABASE_URL');
      expect(names).not.toContain('AWS_SECRET_ACCESS_KEY');
    }
  });

  test('a record can be created, read and changed through the one address', async () => {
    const made = await call('POST', '/v1/records/accounts', acmeKey(), { account_name: 'Kept Ltd' });
    expect(made).toMatchObject({ status: 201, body: { data: { id, account_name: 'Kept Ltd' } } });
    kept.accountId = (made.body as { data: { id: string } }).data.id;
    const path = `/v1/records/accounts/${kept.accountId}`;
    const changed = await call('PATCH', path, acmeKey(), { city: 'Zürich' });
    expect(changed).toMatchObject({ status: 200, body: { data: { account_name: 'Kept Ltd', city: 'Zürich' } } });
    expect(await call('GET', path, acmeKey())).toEqual(changed);
  });

  test('relata finds the running stack, prints one JSON document, and its new key works at once', async () => {
    const { id: org } = organizationOf(stack, 'Acme');
    const created = await checkout.relata('keys', 'create', '--json', '--org', org, '--scope', 'records:read');
    expect(await created.exited, created.stderr()).toEqual({ code: 0, signal: null });
    const document = JSON.parse(created.stdout());
    expect(document).toMatchObject({ id, key: secretKey });
    kept.key = document.key;
    expect(await call('GET', `/v1/records/accounts/${kept.accountId}`, kept.key)).toMatchObject({ status: 200 });
  });

  test('a second start beside a running one is refused, and changes nothing', async () => {
    const second = await checkout.finished(await checkout.npmStart({ PORT: String(await freePort()) }));
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.stderr()).toContain(`already running (process ${stack.pid})`);
    expect(await checkout.stack()).toEqual(stack);
  });

  test.each(appNames)('%s is restarted after a kill, with its new process id in stack.json', async (name) => {
    const before = stack.services[name];
    process.kill(before.pid, 'SIGKILL');
    const after = await vi.waitFor(async () => {
      const found = await checkout.stack();
      expect(found?.services[name].pid).not.toBe(before.pid);
      return found!;
    }, promised);
    stack = after;
    expect(after.services[name]).toEqual({ url: before.url, pid });
    expect((await fetch(`${before.url}/health/ready`, { signal: AbortSignal.timeout(60_000) })).status).toBe(200);
    expect(run.stdout()).toContain(`${name} ended (SIGKILL)`);
  });

  test('after the kills requests are answered as before', async () => {
    expect(await call('GET', '/v1/self', acmeKey())).toMatchObject({ status: 200 });
  });

  test('SIGTERM ends every process in time, and deletes stack.json', async () => {
    // Proves that processes are found: the eight of stack.json, and bootstrap.mjs.
    expect((await checkout.processes()).length).toBeGreaterThanOrEqual(process.platform === 'linux' ? 8 : 0);
    const { code, tookMs } = await stop('SIGTERM');
    expect({ code, stderr: run.stderr() }).toEqual({ code: 0, stderr: expect.not.stringContaining('Error') });
    expect(tookMs).toBeLessThan(stopWithinMs);
    expect(await checkout.stack()).toBeUndefined();
    expect(pidsOf(stack).filter(isAlive)).toEqual([]);
    expect(await checkout.processes()).toEqual([]);
  });
});

test('a port that is taken is named in the error, before any process is started', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const refused = await checkout.finished(await checkout.npmStart({ PORT: String(port) }));
  await new Promise((resolve) => taken.close(resolve));
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toMatch(new RegExp(`^Port ${port} is taken\\..*\\n$`));
  expect(await checkout.processes()).toEqual([]);
});

describe("a second start on the data that was kept, at another port and with the user's own team channel", () => {
  let channel: Server;
  const posts: string[] = [];
  const receive = async (request: IncomingMessage) => posts.push(await text(request));

  beforeAll(async () => {
    // Leaves the data of a release that had neither file.
    for (const name of ['postgres-app.password', 'nats.token']) await rm(join(checkout.folder, '.local', name));
    channel = createHttpServer((request, response) => void receive(request).then(() => response.end('ok')));
    await once(channel.listen(0, '127.0.0.1'), 'listening');
    const { port } = channel.address() as AddressInfo;
    await start({ TEAM_CHANNEL_WEBHOOK_URL: `http://127.0.0.1:${port}/own-secret`, TEAM_CHANNEL_KIND: 'discord' });
  });
  afterAll(() => channel?.close().closeAllConnections());

  test('a second start installs nothing', async () => {
    expect(await checkout.installations()).toBe(1);
  });

  test('a second start has the same organizations with the same keys', () => {
    const withoutAddress = ({ organizations }: StackFile) =>
      organizations.map(({ triggers, ...rest }) => ({
        ...rest,
        triggers: triggers?.map(({ id, secret }) => ({ id, secret })),
      }));
    expect(withoutAddress(stack)).toEqual(withoutAddress(first));
  });

  test('a second start has the record and the key that were created before it', async () => {
    const found = await call('GET', `/v1/records/accounts/${kept.accountId}`, kept.key);
    expect(found).toMatchObject({ status: 200, body: { data: { account_name: 'Kept Ltd', city: 'Zürich' } } });
  });

  test('the key of the demo site works at the names of the new address alone', async () => {
    const { ask } = visitorOf(stack);
    const names = [stack.base_url, stack.base_url.replace('127.0.0.1', 'localhost')];
    for (const origin of names) expect((await ask('Hello', origin)).status).toBe(200);
    expect((await ask('Hello', first.base_url)).status).toBe(403);
  });

  test("a start with the user's own team channel opens no inbox, and posts in the format of that channel", async () => {
    expect(stack).not.toHaveProperty('channel');
    expect(run.stdout()).toContain('Team channel    yours');
    const { requestDemo } = visitorOf(stack);
    expect((await requestDemo({ name: 'Ada', work_email: 'ada@robotics.example' })).status).toBe(200);
    expect(posts).toEqual([expect.stringContaining('allowed_mentions')]);
    expect(run.stdout()).not.toContain('ada@robotics.example\n');
    expect(await readFile(checkout.stackPath, 'utf8')).not.toContain('own-secret');
  });

  test('Ctrl-C ends every process in time as well', async () => {
    const { code, tookMs } = await stop('SIGINT');
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(stopWithinMs);
    expect(await checkout.processes()).toEqual([]);
  });
});
