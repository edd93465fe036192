import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openReceiver, post, startReceiver } from '../webhook-ingest.harness.ts';

test('a delivery is stored once and answered with 202 if the database connection breaks after the commit', async () => {
  await using receiver = await startReceiver();
  const { trigger, secret } = await receiver.createUniqueTrigger();
  await receiver.assign(trigger.id, { name: 'one', inputs: {} }, {});
  await using line = await openLine(receiver.db.url);
  await using behind = await openReceiver(line.url);
  const headers = { 'idempotency-key': 'surely once' };
  expect((await post(behind.url, trigger.id, { secret })).status).toBe(202);
  for (const sent of [{ secret, headers }, { secret }]) {
    line.cutAtNextResponse();
    expect((await post(behind.url, trigger.id, sent)).status).toBe(202);
  }
  expect(line.cuts()).toBe(2);
  expect([await receiver.deliveries(), await receiver.runs()].map((rows) => rows.length)).toEqual([3, 3]);
});

test('a delivery that may or may not be stored is not answered', async () => {
  await using receiver = await startReceiver();
  const { trigger, secret } = await receiver.createUniqueTrigger();
  await using line = await openLine(receiver.db.url);
  await using behind = await openReceiver(line.url);
  expect((await post(behind.url, trigger.id, { secret })).status).toBe(202);
  line.cutAtNextResponse({ forGood: true });
  const asked = post(behind.url, trigger.id, { secret });
  await expect.poll(line.cuts).toBe(1);
  // A post during the outage is certainly not stored, so it is refused at once.
  expect((await post(behind.url, trigger.id, { secret })).status).toBe(503);
  await expect(asked).rejects.toThrow('fetch failed');
  expect(await receiver.deliveries()).toHaveLength(2);
});

/** Starts a proxy in front of a database. The proxy can lose the response to the statement that stores deliveries. */
async function openLine(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let [isArmed, isForGood, isDown, cuts] = [false, false, false, 0];
  const server = createServer((near) => {
    if (isDown) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.pipe(far);
    let isStoring = false;
    near.on('data', (bytes: Buffer) => void (isStoring = bytes.includes('webhook_deliveries.store')));
    far.on('data', (bytes) => {
      if (!isArmed || !isStoring) return void near.write(bytes);
      isArmed = false;
      isDown = isForGood;
      cuts++;
      near.resetAndDestroy();
      far.destroy();
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  url.hostname = '127.0.0.1';
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: url.href,
    cutAtNextResponse: ({ forGood = false } = {}) => {
      isArmed = true;
      isForGood = forGood;
    },
    cuts: () => cuts,
    [Symbol.asyncDispose]: close,
  };
}
