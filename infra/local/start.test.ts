import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@relata/embedded';
import { Standstill } from '@relata/testbed/standstill';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { appNames } from '../services.ts';
import { clientOf, like, organizationOf, type StackClient } from './stack/stack.harness.ts';
import type { StackFile } from './stack/stack-file.ts';
import { visitorOf } from './stack/visitor.harness.ts';
import { testChat, testHello } from './start-chat.harness.ts';
import { testDay, testDemo } from './start-demo.harness.ts';
import { isAlive, pidsOf, testStack } from './start-stack.harness.ts';
import { Checkout, promised, type Run, type Started } from './start.harness.ts';

// The stack exits with 1 if its processes have not ended after 9.5 s. The additional time is for a busy machine.
const stopWithinMs = 20_000;

const { id, pid, secretKey } = like;

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
 * Stops the stack by a signal. Returns its exit code, its signal and the elapsed time, without stalls of the machine.
 */
async function stop(signal: NodeJS.Signals) {
  using standstill = new Standstill();
  const before = Date.now();
  run.child.kill(signal);
  await checkout.finished(run);
  return { ...(await run.exited), tookMs: Date.now() - before - standstill.lostMs };
}

const acmeKey = () => organizationOf(stack, 'Acme').keys.full;

/** A contact that both the workflow and the API upsert, with different last names. */
const both = { match: { email: 'both@example.com' }, set: { first_name: 'Both', last_name: 'Api' } };

async function postBoth(form: object = {}): Promise<number> {
  const [trigger] = organizationOf(stack, 'Acme').triggers!;
  const body = JSON.stringify({ user: { email: both.match.email, name: 'Both' }, form });
  const response = await fetch(trigger!.url, {
    method: 'POST',
    headers: { 'X-Webhook-Secret': trigger!.secret! },
    body,
  });
  return response.status;
}

const upsertBoth = () => call('POST', '/v1/records/contacts/upsert', acmeKey(), both);

describe('the first start', () => {
  beforeAll(async () => {
    await start();
    first = stack;
  });

  test('the first start installs the dependencies once, and then runs', async () => {
    expect(await checkout.installations()).toBe(1);
  });

  const started = (): Started => ({ checkout, run, stack });
  testStack(started);
  testDay(started);
  testChat(started);

  test('B2.6: if runs and the API upsert a new email at the same time, they create one contact', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => (i % 2 ? postBoth() : (await upsertBoth()).status)),
    );
    expect(responses.filter((status) => status === 202)).toHaveLength(10);
    expect(responses.filter((status) => status === 200 || status === 201)).toHaveLength(10);
    await vi.waitFor(async () => {
      const found = await call('GET', `/v1/records/contacts?email=${both.match.email}`, acmeKey());
      expect(found).toMatchObject({ body: { total: 1, data: [{ email: both.match.email }] } });
      const { id: contactId } = (found.body as { data: { id: string }[] }).data[0]!;
      // The workflow logs after its upsert, so every run that has logged has done its upsert.
      const logged = await call('GET', `/v1/activities/custom?contact_id=${contactId}`, acmeKey());
      expect(logged).toMatchObject({ body: { total: 10 } });
    }, promised);
  });

  test('B3.1, B5.3: a step that changes a contact causes one event, by its run, and a new ETag', async () => {
    const upserted = (await upsertBoth()).body as { data: { id: string } };
    const path = `/v1/records/contacts/${upserted.data.id}`;
    const version = async () => {
      const response = await fetch(stack.base_url + path, { headers: { 'X-Api-Key': acmeKey() } });
      return { etag: response.headers.get('etag'), ...((await response.json()) as { data: Record<string, string> }) };
    };
    const history = async () => {
      const { body } = await call('GET', `${path}/history?limit=1000`, acmeKey());
      return (body as { data: object[] }).data;
    };
    const [before, known] = [await version(), await history()];
    expect(await postBoth({ company: 'Both Ltd' })).toBe(202);
    const after = await vi.waitFor(async () => {
      const now = await version();
      expect(now.data['company']).toBe('Both Ltd');
      return now;
    }, promised);
    expect(after.etag).not.toBe(before.etag);
    expect((await history()).slice(known.length)).toEqual([
      {
        id,
        created_at: after.data['updated_at'],
        type: 'contact.updated',
        record_type: 'contact',
        record_id: upserted.data.id,
        actor: expect.objectContaining({ type: 'run' }),
        request_id: id,
        run: { id, workflow: 'inbound-lead', step: 'contact', depth: 1 },
        changed: ['company'],
        previous: {},
        record: after.data,
      },
    ]);
  });

  testDemo(started);
  testHello(started);

  test('a record can be created, read and changed through the address of the stack', async () => {
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
    const created = await checkout.npmRelata('keys', 'create', '--json', '--org', org, '--scope', 'records:read');
    expect(await created.exited, created.stderr()).toEqual({ code: 0, signal: null });
    const document = JSON.parse(created.stdout());
    expect(document).toMatchObject({ id, key: secretKey });
    kept.key = document.key;
    expect(await call('GET', `/v1/records/accounts/${kept.accountId}`, kept.key)).toMatchObject({ status: 200 });
  });

  test('a second start is refused while a stack runs, and changes nothing', async () => {
    const second = await checkout.finished(await checkout.npmStart({ PORT: String(await freePort()) }));
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.stderr()).toContain(`already running (process ${stack.pid})`);
    expect(await checkout.stack()).toEqual(stack);
  });

  test('every killed app is restarted, and stack.json gets its new process id', async () => {
    const before = stack.services;
    for (const { pid } of Object.values(before)) process.kill(pid, 'SIGKILL');
    stack = await vi.waitFor(async () => {
      const found = (await checkout.stack())!;
      expect(appNames.filter((name) => found.services[name].pid === before[name].pid)).toEqual([]);
      return found;
    }, promised);
    for (const name of appNames) {
      const { url } = before[name];
      expect(stack.services[name]).toEqual({ url, pid });
      expect((await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(60_000) })).status).toBe(200);
      expect(run.stdout()).toContain(`${name} ended (SIGKILL)`);
    }
  });

  test('after the restarts, requests are answered as before', async () => {
    expect(await call('GET', '/v1/self', acmeKey())).toMatchObject({ status: 200 });
  });

  test('SIGTERM ends every process in time, and deletes stack.json', async () => {
    // Proves that processes are found: the eight processes of stack.json, and bootstrap.mjs.
    expect((await checkout.processes()).length).toBeGreaterThanOrEqual(process.platform === 'linux' ? 8 : 0);
    const { code, tookMs } = await stop('SIGTERM');
    expect({ code, stderr: run.stderr() }).toEqual({ code: 0, stderr: expect.not.stringContaining('Error') });
    expect(tookMs).toBeLessThan(stopWithinMs);
    expect(await checkout.stack()).toBeUndefined();
    expect(pidsOf(stack).filter(isAlive)).toEqual([]);
    expect(await checkout.processes()).toEqual([]);
  });
});

test('a port in use fails the start before any process is started, and the error names the port', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const refused = await checkout.finished(await checkout.npmStart({ PORT: String(port) }));
  await new Promise((resolve) => taken.close(resolve));
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toMatch(new RegExp(`^Port ${port} is taken\\..*\\n$`));
  expect(await checkout.processes()).toEqual([]);
});

// The proxy refuses every connection, so the stack works only if it sends no request to this machine through the proxy.
const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'intranet.example' };

describe("a second start on the kept data, at a different port, behind a proxy and with the user's own team channel", () => {
  let channel: Server;
  const posts: string[] = [];
  const receive = async (request: IncomingMessage) => posts.push(await text(request));

  beforeAll(async () => {
    // Makes the data look like that of an older release, which had neither file.
    for (const name of ['postgres-app.password', 'nats.token']) await rm(join(checkout.folder, '.local', name));
    channel = createHttpServer((request, response) => void receive(request).then(() => response.end('ok')));
    await once(channel.listen(0, '127.0.0.1'), 'listening');
    const { port } = channel.address() as AddressInfo;
    const own = { TEAM_CHANNEL_WEBHOOK_URL: `http://127.0.0.1:${port}/own-secret`, TEAM_CHANNEL_KIND: 'discord' };
    await start({ ...own, ...proxy });
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

  test('the key of the demo site works only at the names of the new address', async () => {
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
