import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { freePort, startNats } from '@relata/embedded';
import { createLog } from '@relata/runtime';
import { expectWithin, natsUrl, startOwnNats, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { keyChanged } from './broadcast.ts';
import { Messaging } from './messaging.ts';
import { runsReady } from './work-queue.ts';

const binDir = join(import.meta.dirname, '../../../.local/bin');

test('a message of one process reaches all others, but not itself', async () => {
  await using stack = new AsyncDisposableStack();
  const [publisher, subscriber] = ['publisher', 'subscriber'].map((name) =>
    stack.use(new Messaging({ url: natsUrl(), name })),
  );
  await Promise.all([publisher!.connected(60_000), subscriber!.connected(60_000)]);
  const [own, others]: string[][] = [[], []];
  publisher!.subscribe(keyChanged, ({ hash }) => own!.push(hash));
  subscriber!.subscribe(keyChanged, ({ hash }) => others!.push(hash));
  await until(() => {
    publisher!.publish(keyChanged, { hash: 'changed' });
    expect(others).toContain('changed');
  });
  expect(own).toEqual([]);
});

test('connects without a restart to a server that starts late, or stops and starts again', async () => {
  await using stack = new AsyncDisposableStack();
  const [storeDir, port] = [await makeFolder(stack), await freePort()];
  const url = `nats://127.0.0.1:${port}`;
  const messaging = stack.use(new Messaging({ url, name: 'early' }));
  let returns = 0;
  messaging.onReconnect(() => returns++);
  expect(await messaging.connected(200)).toBe(false);
  messaging.publish(keyChanged, { hash: 'no process receives this, and nothing breaks' });

  const first = await startNats({ storeDir, binDir, port });
  await until(() => expect(messaging.isConnected).toBe(true));
  await first.stop();
  await until(() => expect(messaging.isConnected).toBe(false));
  const second = await startNats({ storeDir, binDir, port });
  stack.defer(() => second.stop());
  await until(() => expect(messaging.isConnected).toBe(true));
  expect(returns).toBe(1);
});

test('a server with a token accepts only clients with it, and the token is in no log', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = await startOwnNats(stack, { token: 'right-token' });
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'trace', destination: { write: (line) => void lines.push(line) } });
  const [right, wrong, none] = [url, url.replace('right', 'wrong'), url.replace('right-token@', '')].map((given) =>
    stack.use(new Messaging({ url: given, name: 'test', log })),
  );
  await until(() => {
    expect([right, wrong, none].map((one) => one!.refusal !== undefined)).toEqual([false, true, true]);
    expect([right, wrong, none].map((one) => one!.isConnected)).toEqual([true, false, false]);
  });
  expect(lines.join('')).not.toMatch(/right-token|wrong-token/);
});

test('a server that is missing at first is logged as one line, and the first connection as another (found D6)', async () => {
  await using stack = new AsyncDisposableStack();
  const [storeDir, port] = [await makeFolder(stack), await freePort()];
  const { log, lines } = recordLog();
  const messaging = stack.use(new Messaging({ url: `nats://127.0.0.1:${port}`, name: 'early', log }));
  // Several attempts fail within this time.
  expect(await messaging.connected(1_000)).toBe(false);
  const server = await startNats({ storeDir, binDir, port });
  stack.defer(() => server.stop());
  await until(() => expect(messaging.isConnected).toBe(true));
  expect(lines).toMatchObject([
    { level: 'warn', msg: 'waiting for NATS', reason: expect.any(String) },
    { level: 'info', msg: 'connected to NATS' },
  ]);
});

test('if a server refuses the token after a break, each reason is logged once, and attempts keep no memory', async () => {
  await using stack = new AsyncDisposableStack();
  const [storeDir, port, monitorPort] = [await makeFolder(stack), await freePort(), await freePort()];
  const { log, lines } = recordLog();
  const config = `http: "127.0.0.1:${monitorPort}"\n`;
  const start = (token: string) => startNats({ storeDir, binDir, port, token, config });
  const first = await start('right');
  const messaging = stack.use(new Messaging({ url: first.url, name: 'refused', log }));
  let returns = 0;
  messaging.onReconnect(() => returns++);
  expect(await messaging.connected(60_000)).toBe(true);
  await first.stop();

  const refusing = await start('wrong');
  /** Waits until the server has accepted that many connections, and returns the number of promises still in use. */
  const promisesAfter = async (connections: number) => {
    await until(async () => {
      const response = await fetch(`http://127.0.0.1:${monitorPort}/varz`);
      const { total_connections: total } = (await response.json()) as { total_connections: number };
      expect(total).toBeGreaterThanOrEqual(connections);
    });
    return queryObjects(Promise, { format: 'count' });
  };
  const early = await promisesAfter(3);
  await until(async () => expect((await promisesAfter(9)) - early).toBeLessThan(6));
  expect(messaging.refusal).toBe('Authorization Violation');
  await refusing.stop();

  const last = await start('right');
  stack.defer(() => last.stop());
  await until(() => expect(messaging.isConnected).toBe(true));
  expect(returns).toBe(1);
  const [reasons, others] = [true, false].map((has) => lines.filter(({ reason }) => (reason !== undefined) === has));
  expect(reasons).toHaveLength(new Set(reasons!.map(({ reason }) => reason)).size);
  expect(reasons).toContainEqual(expect.objectContaining({ reason: 'Authorization Violation' }));
  expect(others).toMatchObject([{ msg: 'disconnected from NATS' }, { msg: 'connected to NATS' }]);
});

test('a client is connected again and receives messages within 1.5 s of the restart of a server', async () => {
  await using stack = new AsyncDisposableStack();
  const [storeDir, port] = [await makeFolder(stack), await freePort()];
  let server = await startNats({ storeDir, binDir, port });
  stack.defer(() => server.stop());
  const [publisher, subscriber] = ['publisher', 'subscriber'].map((name) =>
    stack.use(new Messaging({ url: server.url, name })),
  ) as [Messaging, Messaging];
  let received = 0;
  subscriber.subscribe(keyChanged, () => received++);
  await Promise.all([publisher, subscriber].map((one) => one.connected(60_000)));
  await expectWithin(1_500, async () => {
    await server.stop();
    server = await startNats({ storeDir, binDir, port });
    const startedAt = performance.now();
    received = 0;
    await until(() => {
      publisher.publish(keyChanged, { hash: 'changed' });
      expect(received).toBeGreaterThan(0);
    });
    return performance.now() - startedAt;
  });
});

test('a server that freezes with its connection open counts as disconnected within 8 seconds', async () => {
  await using stack = new AsyncDisposableStack();
  const server = await startOwnNats(stack);
  const messaging = stack.use(new Messaging({ url: server.url, name: 'test' }));
  expect(await messaging.connected(60_000)).toBe(true);
  await expectWithin(8_000, async () => {
    server.freeze();
    const frozenAt = performance.now();
    await until(() => expect(messaging.isConnected).toBe(false));
    const tookMs = performance.now() - frozenAt;
    server.thaw();
    await until(() => expect(messaging.isConnected).toBe(true));
    return tookMs;
  });
});

test('a process that was never connected to NATS stops at once', async () => {
  await expectWithin(4_000, async () => {
    const messaging = new Messaging({ url: 'nats://127.0.0.1:1', name: 'leaver' });
    await messaging[Symbol.asyncDispose]();
  });
});

test('each message of a work queue goes to one consumer, even after the server has lost its stream', async () => {
  await using stack = new AsyncDisposableStack();
  const [folder, port] = [await makeFolder(stack), await freePort()];
  const first = await startNats({ storeDir: join(folder, 'first'), binDir, port });
  const names = ['receiver', 'worker', 'other'];
  const [receiver, worker, other] = names.map((name) =>
    stack.use(new Messaging({ url: `nats://127.0.0.1:${port}`, name })),
  ) as [Messaging, Messaging, Messaging];
  await Promise.all([receiver, worker, other].map((one) => one.connected(60_000)));
  const run: [string, string] = ['019a1b2c-0000-7000-8000-000000000001', '019a1b2c-0000-7000-8000-000000000002'];
  const passOne = async () => {
    const asked = [worker.next(runsReady, 1_000), other.next(runsReady, 1_000)].map((one) =>
      one.catch(() => undefined),
    );
    receiver.enqueue(runsReady, { runs: [run] });
    return (await Promise.all(asked)).filter((message) => message !== undefined);
  };
  // The first request creates the stream. Messages that were sent before are lost.
  await until(async () => expect(await passOne()).toEqual([{ runs: [run] }]));
  await first.stop();
  const second = await startNats({ storeDir: join(folder, 'second'), binDir, port });
  stack.defer(() => second.stop());
  await until(async () => expect(await passOne()).toEqual([{ runs: [run] }]));
});

async function makeFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relata-nats-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function recordLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  return { lines, log: createLog({ name: 'test', level: 'info', destination }) };
}
